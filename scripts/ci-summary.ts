import { existsSync, readFileSync } from 'node:fs'

import { detailsOf, figuresOf, missingPath, readReport } from './report.ts'
import { suites } from './suites.ts'

/**
 * `node scripts/ci-summary.ts <folder of reports> <failed step>…` prints a summary that ends with `N passed, N failed`.
 * A suite without a report and a failed step without test cases each count as one failure, so that every failure shows.
 */
const [folder = '.', ...failedSteps] = process.argv.slice(2)
const lines: string[] = []
let passed = 0
let failed = 0

for (const suite of suites) {
  const report = readReport(folder, suite.name)
  const missing = missingPath(folder, suite.name)
  // A suite that needs a program which this machine lacks is listed with the reason and does not count as a failure.
  if (report === null && existsSync(missing)) {
    lines.push(`${suite.name}: could not run here, ${readFileSync(missing, 'utf8')}`)
    continue
  }
  passed += report?.passed ?? 0
  failed += report?.failed ?? 1
  lines.push(`${suite.name}: ${report ? figuresOf(report) : 'did not run'}`)
  if (report) lines.push(...detailsOf(report).map((line) => `  ${line}`))
}
for (const step of failedSteps) lines.push(`step ${step} failed`)
// Steps such as types and lint have no test cases; a suite can also fail outside of its cases.
failed += failedSteps.filter((step) => !['test', 'agents', 'chaos'].includes(step)).length
if (failedSteps.length > 0) failed = Math.max(failed, 1)

console.log(['', ...lines, `${passed} passed, ${failed} failed`].join('\n'))
process.exitCode = failed > 0 ? 1 : 0
