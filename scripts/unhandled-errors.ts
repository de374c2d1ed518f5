import { writeFileSync } from 'node:fs'

import type { Reporter } from 'vitest/node'

/** Writes errors outside of cases to a file: they fail the run, but vitest's JSON report omits them. */
export const unhandledErrors = (path: string): Reporter => ({
  onTestRunEnd(_, errors) {
    if (errors.length === 0) return
    const unhandled = errors.map((error) => ({
      text: error.stack ?? error.message,
      file: error['VITEST_TEST_PATH'] as string | undefined,
    }))
    writeFileSync(path, JSON.stringify(unhandled))
  },
})
