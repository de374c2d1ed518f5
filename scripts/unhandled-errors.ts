import { writeFileSync } from 'node:fs'

import type { Reporter } from 'vitest/node'

/** What broke outside of a case fails the run, and vitest's JSON report knows nothing of it. */
export const unhandledErrors = (path: string): Reporter => ({
  onTestRunEnd(_, errors) {
    if (errors.length === 0) return
    const told = errors.map((error) => ({
      text: error.stack ?? error.message,
      file: error['VITEST_TEST_PATH'] as string | undefined,
    }))
    writeFileSync(path, JSON.stringify(told))
  },
})
