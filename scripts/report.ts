import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export interface Report {
  passed: number
  /** Failed cases, and one for every file that failed before it had cases. */
  failed: number
  failures: Failure[]
  /** Cases that failed and then passed, and with what they failed. */
  retried: Failure[]
  /** How many cases each file skipped. */
  skipped: Map<string, number>
}

export interface Failure {
  /** `file > case`, or the file alone where it failed outside of its cases. */
  name: string
  /** The first lines of what it failed with. */
  error: string[]
}

/** Where vitest.config.ts writes reports, and the name of the suite that they are about. */
export const reportsVariable = 'AGENCY_TEST_REPORTS'
export const suiteVariable = 'AGENCY_TEST_SUITE'

/** Where a suite's report is, and beside it what broke outside of its cases. */
export const reportPath = (folder: string, suite: string): string => join(folder, `${suite}.json`)
export const unhandledPath = (folder: string, suite: string): string => join(folder, `${suite}.unhandled.json`)
/** Why it could not run here, instead of a report. */
export const missingPath = (folder: string, suite: string): string => join(folder, `${suite}.missing`)

/** What vitest's reporters wrote, or null where they wrote nothing (it crashed). */
export function readReport(folder: string, suite: string): Report | null {
  const written = readJson<VitestReport>(reportPath(folder, suite))
  if (written === null) return null
  return reportOf(written, readJson<Unhandled[]>(unhandledPath(folder, suite)) ?? [])
}

function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

export function reportOf(written: VitestReport, unhandled: readonly Unhandled[] = []): Report {
  const report: Report = { passed: 0, failed: 0, failures: [], retried: [], skipped: new Map() }
  for (const file of written.testResults) {
    const path = relative(process.cwd(), file.name)
    let failed = 0
    for (const { status, fullName, failureMessages } of file.assertionResults) {
      const messages = failureMessages ?? []
      const failure = { name: `${path} > ${fullName.trim()}`, error: firstLines(messages.at(-1) ?? '') }
      if (status === 'failed') {
        failed++
        report.failures.push(failure)
      } else if (status !== 'passed') report.skipped.set(path, (report.skipped.get(path) ?? 0) + 1)
      else {
        report.passed++
        if (messages.length > 0) report.retried.push(failure)
      }
    }
    if (file.status === 'failed' && failed === 0) {
      report.failures.push({ name: path, error: firstLines(file.message ?? '') })
      failed = 1
    }
    report.failed += failed
  }
  for (const { text, file } of unhandled) {
    const where = file === undefined ? 'somewhere' : relative(process.cwd(), file)
    report.failures.push({ name: `${where}, outside of its cases`, error: firstLines(text) })
    report.failed++
  }
  return report
}

export function figuresOf({ passed, failed, skipped }: Report): string {
  const left = [...skipped.values()].reduce((sum, count) => sum + count, 0)
  return `${passed} passed, ${failed} failed${left > 0 ? `, ${left} skipped` : ''}`
}

/** For the end of a log: what failed and why, what passed only on a second try, how much each file skipped. */
export const detailsOf = ({ failures, retried, skipped }: Report): string[] => [
  ...failures.flatMap(({ name, error }) => [`FAILED ${name}`, ...error.map((line) => `  ${line}`)]),
  ...retried.flatMap(({ name, error }) => [`passed on the second try: ${name}`, ...error.map((line) => `  ${line}`)]),
  ...[...skipped].map(([path, count]) => `skipped ${count} of ${path}`),
]

/** A message often holds a whole comparison; where it was is in the log above. */
function firstLines(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const stack = lines.findIndex((line) => /^\s+at /.test(line))
  const own = lines.find((line) => /^\s+at .*\.test\.tsx?:/.test(line))
  return [...lines.slice(0, stack === -1 ? 6 : Math.min(stack, 6)), ...(own === undefined ? [] : [own.trim()])].map(
    (line) => line.slice(0, 300),
  )
}

export interface Unhandled {
  text: string
  file?: string | undefined
}

export interface VitestReport {
  testResults: {
    name: string
    status: 'passed' | 'failed'
    message?: string
    assertionResults: { fullName: string; status: string; failureMessages?: string[] | null }[]
  }[]
}
