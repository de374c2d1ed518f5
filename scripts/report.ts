import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

export interface Report {
  passed: number
  /** Failed cases, and one for every file that failed before it had cases. */
  failed: number
  /** Names of the skipped cases with their files. */
  skipped: string[]
}

/** What vitest's JSON reporter wrote, or null where it wrote nothing (it crashed). */
export function readReport(path: string): Report | null {
  let written: VitestReport
  try {
    written = JSON.parse(readFileSync(path, 'utf8')) as VitestReport
  } catch {
    return null
  }
  const report: Report = { passed: 0, failed: 0, skipped: [] }
  for (const file of written.testResults) {
    const failed = file.assertionResults.filter((result) => result.status === 'failed').length
    report.passed += file.assertionResults.filter((result) => result.status === 'passed').length
    report.failed += file.status === 'failed' ? Math.max(failed, 1) : failed
    for (const result of file.assertionResults)
      if (result.status !== 'passed' && result.status !== 'failed')
        report.skipped.push(`${result.fullName.trim()} (${relative(process.cwd(), file.name)})`)
  }
  return report
}

interface VitestReport {
  testResults: {
    name: string
    status: 'passed' | 'failed'
    assertionResults: { fullName: string; status: string }[]
  }[]
}
