import { existsSync, readFileSync } from 'node:fs'

import { detailsOf, figuresOf, missingPath, readReport } from './report.ts'
import { suites } from './suites.ts'

/**
 * `node scripts/ci-summary.ts <folder of reports> <failed step>…` ends with `N passed, N failed`.
 * A suite without a report and a step without test cases each count as one failure: nothing fails unseen.
 */
const [folder = '.', ...failedSteps] = process.argv.slice(2)
const lines: string[] = []
let passed = 0
let failed = 0

for (const suite of suites) {
  const report = readReport(folder, suite.name)
  const missing = missingPath(folder, suite.name)
  // Where the machine lacks what a suite needs, that is said, and is no failure of the product.
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
// Types, lint and the like have no test cases; a suite can fail outside of any, too.
failed += failedSteps.filter((step) => !['test', 'agents', 'chaos'].includes(step)).length
if (failedSteps.length > 0) failed = Math.max(failed, 1)

console.log(['', ...lines, `${passed} passed, ${failed} failed`].join('\n'))
process.exitCode = failed > 0 ? 1 : 0
