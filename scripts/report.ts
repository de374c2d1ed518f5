import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export interface Report {
  passed: number
  /** Number of failed cases, plus one for every file that failed before its cases were collected. */
  failed: number
  failures: Failure[]
  /** Cases that failed and passed on retry, with the error of the failed try. */
  retried: Failure[]
  /** Number of skipped cases per file. */
  skipped: Map<string, number>
}

export interface Failure {
  /** `file > case`, or only the file if it failed outside its cases. */
  name: string
  /** The first lines of the error. */
  error: string[]
}

/** Environment variables for vitest.config.ts: the folder for reports, and the name of the suite. */
export const reportsVariable = 'AGENCY_TEST_REPORTS'
export const suiteVariable = 'AGENCY_TEST_SUITE'

/** Path of a suite's report, and of the file beside it with the errors outside its cases. */
export const reportPath = (folder: string, suite: string): string => join(folder, `${suite}.json`)
export const unhandledPath = (folder: string, suite: string): string => join(folder, `${suite}.unhandled.json`)
/** Path of the file which replaces the report of a suite that could not run on this machine; it holds the reason. */
export const missingPath = (folder: string, suite: string): string => join(folder, `${suite}.missing`)

/** Reads the report that vitest's reporters wrote; returns null if there is none, because vitest crashed. */
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
    const path = file === undefined ? 'unknown file' : relative(process.cwd(), file)
    report.failures.push({ name: `${path}, outside its cases`, error: firstLines(text) })
    report.failed++
  }
  return report
}

export function figuresOf({ passed, failed, skipped }: Report): string {
  const left = [...skipped.values()].reduce((sum, count) => sum + count, 0)
  return `${passed} passed, ${failed} failed${left > 0 ? `, ${left} skipped` : ''}`
}

/** Returns the lines for the end of a log: failures with their errors, cases that passed on retry, skipped cases. */
export const detailsOf = ({ failures, retried, skipped }: Report): string[] => [
  ...failures.flatMap(({ name, error }) => [`FAILED ${name}`, ...error.map((line) => `  ${line}`)]),
  ...retried.flatMap(({ name, error }) => [`passed on retry: ${name}`, ...error.map((line) => `  ${line}`)]),
  ...[...skipped].map(([path, count]) => `skipped ${count} in ${path}`),
]

/** Shortens an error, which often holds a whole comparison; the full text is further up in the log. */
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
