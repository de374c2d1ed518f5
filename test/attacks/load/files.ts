import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { pause } from '../../../src/kernel/clock.ts'
import type { Attack } from '../contract.ts'
import { isHeldUp, type LoadStage } from './stage.ts'

/** A file of the start, and the shell command with which an agent makes it hostile. */
const forms: Readonly<Record<string, readonly [file: string, start: string, command: string]>> = {
  'beginnings of comments': ['pom.xml', '<project></project>\n', 'yes "<!--" | head -n 60000 | tr -d "\\n" >pom.xml'],
  'one long word': ['CMakeLists.txt', 'add_test(a)\n', 'yes a | head -n 150000 | tr -d "\\n" >CMakeLists.txt'],
  'one package many times': [
    'Gemfile.lock',
    'GEM\n  remote: x\n  specs:\n    a (1)\n',
    'i=0; while [ $i -lt 24 ]; do printf "GEM\\n  remote: $i\\n  specs:\\n    a (1)\\n"; i=$((i+1)); done >Gemfile.lock',
  ],
}

let repositories = 0

interface Run {
  readonly ended_at: string | null
  readonly gates_pending: number
  /** A file that cannot be compared is a question. */
  readonly questions_open: number
}

/** Lets an agent commit the result of a command to a repository; reports how its run goes on. */
async function work({ daemon }: LoadStage, [file, start, command]: readonly [string, string, string]) {
  const repository = join(daemon.home, `repository-${++repositories}`)
  mkdirSync(repository)
  const git = (...words: string[]): unknown => execFileSync('git', ['-C', repository, ...identity, ...words])
  git('init', '--quiet', '--initial-branch=main')
  writeFileSync(join(repository, file), start)
  git('add', '.')
  git('commit', '--quiet', '--message=start')
  const report =
    'mkdir -p .agency/outbox; echo "{\\"status\\":\\"done\\",\\"summary\\":\\"x\\"}" >.agency/outbox/report.json'
  const program = `sh -c '${command}; echo fine >fine.txt; git add fine.txt; git commit --quiet --all --message=work; ${report}'`
  const words = [
    '--repo',
    repository,
    '--program',
    program,
    '--evidence',
    'file:fine.txt',
    '--verify',
    'none',
    '--json',
  ]
  const started = await daemon.cli('run', 'Work', ...words)
  if (started.code !== 0) throw new Error(started.out)
  const { id } = JSON.parse(started.out) as { id: string }
  for (const began = performance.now(); performance.now() - began < 60_000;) {
    const run = (await daemon.ask('GET', `/runs/${id}`)).body as Run
    if (run.ended_at !== null || run.gates_pending + run.questions_open > 0) return run
    await pause(200)
  }
  throw new Error(`the run ${id} does not end`)
}

const identity = ['-c', 'user.name=Operator', '-c', 'user.email=operator@example.org']

export const fileAttacks: readonly Attack<LoadStage>[] = Object.entries(forms).map(([name, form]) => ({
  name: `a build file of ${name} holds up others`,
  isLong: true,
  control: async (stage) => (await work(stage, [form[0], form[1], ':'])).questions_open === 0,
  attack: async (stage) => {
    try {
      return await isHeldUp(stage, work(stage, form))
    } catch (error) {
      // A daemon that is held up for longer closes connections that wait.
      if (error instanceof TypeError) return true
      throw error
    }
  },
}))
