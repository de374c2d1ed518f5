import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { detailsOf, figuresOf, missingPath, readReport, type Report, reportsVariable, suiteVariable } from './report.ts'
import { type Suite, suites } from './suites.ts'

/**
 * `node scripts/test.ts` runs every quick suite that this machine can run, then lists the other suites with the reasons.
 * `node scripts/test.ts <suite>…` runs the named suites and fails if one of them cannot run; with `--if-possible` it
 * skips such a suite instead.
 */
process.exitCode = await main(process.argv.slice(2))

async function main(args: string[]): Promise<number> {
  const names = args.filter((name) => name !== '--if-possible')
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name))
  if (unknown.length > 0) {
    const available = suites.map((suite) => suite.name).join(', ')
    console.error(`error: unknown suite ${unknown.join(', ')}; available: ${available}`)
    return 2
  }
  const named = names.length > 0
  const chosen = suites.filter((suite) => (named ? names.includes(suite.name) : suite.quick))
  const reasons = new Map<Suite, string>()
  for (const suite of chosen) {
    const reason = suite.missing ?? (await suite.prepare?.()) ?? null
    if (reason !== null) reasons.set(suite, reason)
  }
  const missing = [...reasons].map(([suite, reason]) => `${suite.name}: ${reason}`)
  const ifPossible = args.includes('--if-possible')
  if (named && missing.length > 0 && !ifPossible) {
    for (const line of missing) console.error(`error: cannot run ${line}`)
    return 1
  }

  const { folder, remove } = reportFolder()
  if (ifPossible) for (const [suite, reason] of reasons) writeFileSync(missingPath(folder, suite.name), reason)
  const outcomes: Outcome[] = []
  for (const suite of chosen.filter((each) => !reasons.has(each))) outcomes.push(await run(suite, folder))
  remove()

  for (const line of summary(outcomes)) console.log(line)
  if (named) for (const line of missing) console.log(`- skipped ${line}`)
  else for (const line of leftOut(missing)) console.log(line)
  return outcomes.every((outcome) => outcome.exit === 0) ? 0 : 1
}

interface Outcome {
  suite: Suite
  exit: number
  report: Report | null
}

/** Returns the folder for reports: the caller's (`AGENCY_TEST_REPORTS`), or a temporary one that is removed. */
function reportFolder(): { folder: string; remove: () => void } {
  const kept = process.env[reportsVariable]
  if (kept) return { folder: kept, remove: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'agency-test-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

async function run(suite: Suite, folder: string): Promise<Outcome> {
  console.log(`\n${suite.name}: ${suite.about}`)
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', `--project=${suite.project}`], {
    stdio: 'inherit',
    env: { ...process.env, ...suite.environment, [reportsVariable]: folder, [suiteVariable]: suite.name },
  })
  const exit = await new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 1)))
  return { suite, exit, report: readReport(folder, suite.name) }
}

function summary(outcomes: Outcome[]): string[] {
  const lines = ['']
  for (const { suite, exit, report } of outcomes) {
    lines.push(`${exit === 0 ? '✓' : '✗'} ${suite.name}: ${report ? figuresOf(report) : 'no report'}`)
    if (report) lines.push(...detailsOf(report).map((line) => `    ${line}`))
    if (suite.lacks) lines.push(`    ${suite.lacks}`)
  }
  return lines
}

function leftOut(missing: string[]): string[] {
  const slow = suites.filter((suite) => !suite.quick)
  return [
    ...missing.map((line) => `- skipped ${line}`),
    ...slow.map((suite) => `- not included: ${suite.name} (${suite.about}); run it with ${suite.command}`),
  ]
}
