import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { parse } from 'yaml'

import { createTestCli, type Ended, type TestCli } from './cli.ts'

/** `agency org` with a home of its own, and helpers that many of its tests use. */
export interface OrgCli extends TestCli {
  /** Returns the output of a read command, parsed as YAML. */
  ask<T = Record<string, unknown>>(...words: string[]): Promise<T>
  /** Returns the exit code and the first printed line of a command that must be refused. */
  refusal(...words: string[]): Promise<string>
  /** Runs a shell line; every `agency` in it is the command line under test. */
  shell(line: string): Promise<Ended>
  /** Founds an organisation of six seats with this name and Robbo on the first; returns position ids by title. */
  found(name: string): Promise<{ id: number; slug: string; robbo: string; seats: Record<string, number> }>
  /** Runs the lines as an agent in its workspace; returns the exit code and the output. */
  asAgent(line: string, organisationId?: number): Promise<{ code: number; out: string; err: string }>
  file(name: string, text: string | Uint8Array): string
}

export function createOrgCli(): OrgCli {
  const cli = createTestCli()
  const file = (name: string, text: string | Uint8Array): string => {
    const path = join(cli.home, name)
    writeFileSync(path, text)
    return path
  }
  const org: OrgCli = {
    ...cli,
    file,
    ask: async (...words) => parse(await cli.text('org', ...words)) as never,
    async refusal(...words) {
      const { code, out, err } = await cli.run('org', ...words)
      if (code === 0) throw new Error(`agency org ${words.join(' ')}: was not refused: ${out}`)
      return `${code} ${err.split('\n', 1)[0]}`
    },
    shell: (line) => runShell(cli, line),
    async found(name) {
      await ensure(cli.feed(sixSeats(name), 'org', 'import'))
      const { organisation, seats } = await cli.json<Chart>('org', 'tree', '--org', name)
      return {
        id: organisation.organisation_id,
        slug: organisation.slug,
        robbo: seats.find((seat) => seat.holder !== null)?.holder?.slug ?? '',
        seats: Object.fromEntries(seats.map((seat) => [seat.title, seat.position_id])),
      }
    },
    async asAgent(line, organisationId = 1) {
      // All files are in the workspace: a boxed agent cannot read other files of this machine.
      const script = [
        agencyWord(cli),
        `{ ${line}`,
        '} > agent.out 2> agent.err',
        'echo $? > agent.code',
        'echo done > tried.txt',
        `echo '{"status": "done", "summary": "tried it", "outputs": ["tried.txt"]}'`,
      ].join('\n')
      const program = `sh -c '${script.replaceAll("'", `'\\''`)}'`
      const place = ['--org', String(organisationId)]
      const id = (
        await cli.text('run', 'Try it', ...place, '--program', program, '--evidence', 'file:tried.txt')
      ).trim()
      await ensure(cli.run('watch', id))
      const { briefs } = await cli.json<{ briefs: { id: string }[] }>('inspect', id)
      const read = (name: string): string =>
        readFileSync(join(cli.home, 'workspaces', id, briefs[0]?.id ?? '', name), 'utf8')
      return { code: Number(read('agent.code')), out: read('agent.out'), err: read('agent.err') }
    },
  }
  return org
}

interface Chart {
  organisation: { organisation_id: number; slug: string }
  seats: { position_id: number; title: string; holder: { slug: string } | null }[]
}

async function ensure(ended: Promise<Ended>): Promise<void> {
  const { code, out, err } = await ended
  if (code !== 0) throw new Error(`exit ${code}: ${out}${err}`)
}

/** Defines a shell function `agency` for the command line under test. */
const agencyWord = (cli: TestCli): string => `agency() { ${cli.words.map((word) => `'${word}'`).join(' ')} "$@"; }`

function runShell(cli: TestCli, line: string): Promise<Ended> {
  const child = spawn('bash', ['-o', 'pipefail', '-c', `${agencyWord(cli)}\n${line}`], {
    env: { PATH: process.env['PATH'] ?? '', HOME: cli.home, AGENCY_HOME: cli.home },
    cwd: cli.home,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (part: Buffer) => (out += part.toString()))
  child.stderr.on('data', (part: Buffer) => (err += part.toString()))
  return new Promise((settle) => child.on('close', (code, signal) => settle({ code, signal, out, err })))
}

/** A document without ids: the import assigns new ones. */
export const sixSeats = (name: string): string => `
organisation:
  name: ${name}
  purpose: trial
  intent:
    optimise_for: [clarity]
    constraints: [no night shifts]
positions:
  - title: Principal Architect
    role: architect
    level: 1
    assignment: { persona_name: Robbo of ${name}, persona_role: architect }
  - { title: AR Director, role: ar-director, level: 1, escalates_to: Principal Architect, is_cross_cutting: true }
  - { title: Project Manager, role: pm, level: 2, reports_to: Principal Architect, escalates_to: Principal Architect }
  - { title: Senior Developer, role: developer, level: 3, reports_to: Project Manager, escalates_to: Principal Architect }
  - { title: Developer, role: developer, level: 3, reports_to: Project Manager, escalates_to: Project Manager }
  - { title: QA Lead, role: qa, level: 3, reports_to: Project Manager, escalates_to: Principal Architect }
`
