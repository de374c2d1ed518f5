import { pause } from '../../../src/kernel/clock.ts'
import type { Attack } from '../contract.ts'
import { burst, count, isHeldUp, type LoadStage, processorTimeOf } from './stage.ts'

const report = (summary: string, more = {}) => ({
  method: 'POST',
  path: '/attempt/report',
  body: { status: 'partial', summary, remaining: 'all of it', ...more },
})

const answers = async ({ puppet }: LoadStage): Promise<boolean> =>
  (await puppet.ask('GET', '/attempt/brief')).status === 200

/** Starts a program as an agent; resolves with its run once `until` holds, or after 30 s: a failed run asks and waits. */
async function runProgram({ daemon }: LoadStage, script: string, until: (run: Run) => boolean): Promise<Run> {
  const started = await daemon.cli('run', 'Work', '--program', `sh -c '${script}'`, '--json')
  if (started.code !== 0) throw new Error(started.out)
  const { id } = JSON.parse(started.out) as { id: string }
  for (const began = performance.now(); ;) {
    const run = (await daemon.ask('GET', `/runs/${id}`)).body as Run
    if (until(run) || performance.now() - began > 30_000) return run
    await pause(100)
  }
}

interface Run {
  readonly id: string
  readonly status: string
  readonly questions_open: number
  readonly ended_at: string | null
}

/** A run whose brief has failed too often asks the operator. */
const hasEnded = ({ ended_at: at, questions_open: questions }: Run): boolean => at !== null || questions > 0

/** Reports outputs by the outbox: one file under many names. */
const reportOfLinks = (megabytes: number, links: number): string =>
  `truncate -s ${megabytes}M f0; i=1; names=f0; while [ $i -lt ${links} ]; do ln f0 f$i; names="$names\\",\\"f$i"; i=$((i+1)); done; mkdir -p .agency/outbox; echo "{\\"status\\":\\"done\\",\\"summary\\":\\"links\\",\\"outputs\\":[\\"$names\\"]}" >.agency/outbox/report.json`

export const storeAttacks: readonly Attack<LoadStage>[] = [
  {
    name: 'an agent reports without end',
    control: answers,
    attack: async (stage) => {
      const puppet = await stage.fresh()
      const statuses = await burst(
        puppet,
        Array.from({ length: 40 }, (_, at) => report(`report ${at}`)),
        2,
      )
      return count(statuses, 200) > 15 || count(statuses, 200) === 0
    },
  },
  {
    name: 'an agent proposes without end',
    control: answers,
    attack: async (stage) => {
      const puppet = await stage.fresh()
      const body = { document: 'organisation: {name: A, purpose: b}\n', reason: 'again' }
      const statuses = await burst(
        puppet,
        Array.from({ length: 15 }, () => ({ method: 'POST', path: '/orgs/proposals', body })),
      )
      return count(statuses, 429) < 9
    },
    isLong: true,
  },
  {
    name: 'an agent writes notes without end',
    control: answers,
    attack: async (stage) => {
      const puppet = await stage.fresh()
      const body = { description: 'a doubt', context: 'c'.repeat(9_000) }
      const statuses = await burst(
        puppet,
        Array.from({ length: 120 }, () => ({ method: 'POST', path: '/notes', body })),
      )
      return count(statuses, 429) === 0
    },
    isLong: true,
  },
  {
    name: 'a report of almost-secrets holds up others',
    control: answers,
    attack: (stage) => {
      const texts = ['Bearer ', 'a://a:', '-----BEGIN A ', 'password = ', 'sk-', 'gh_p_', 'token: ', '${"'].map(
        (text) => text.repeat(4_000 / text.length).trim(),
      )
      const assumptions = Array.from({ length: 48 }, (_, at) => texts[at % texts.length])
      return isHeldUp(stage, burst(stage.puppet, [report('x', { assumptions }), report('y', { assumptions })]))
    },
  },
  {
    name: 'usage lines fill the store',
    control: answers,
    attack: async (stage) => {
      const line = '{\\"type\\":\\"usage\\",\\"input_tokens\\":1,\\"output_tokens\\":1,\\"model\\":\\"m\\"}'
      const { id } = await runProgram(stage, `yes "${line}" | head -n 20000; sleep 1`, hasEnded)
      const { spends } = (await stage.daemon.ask('GET', `/runs/${id}/spends?limit=1000`)).body as { spends: unknown[] }
      const { tokens } = (await stage.daemon.ask('GET', `/costs?run_id=${id}`)).body as { tokens: number }
      if (tokens < 40_000) throw new Error(`only ${tokens} tokens were counted`)
      // A program that fails is started again; all of its attempts share one limit.
      return spends.length > 400
    },
    isLong: true,
  },
  {
    name: 'one file under 300 names is hashed 300 times',
    control: answers,
    attack: async (stage) => {
      const before = processorTimeOf(stage.daemon)
      await runProgram(stage, reportOfLinks(40, 300), hasEnded)
      return processorTimeOf(stage.daemon) - before > 20
    },
    isLong: true,
  },
  {
    name: 'the examination of a cancelled run goes on',
    control: answers,
    attack: async (stage) => {
      const began = performance.now()
      const run = await runProgram(stage, reportOfLinks(4_000, 2), () => performance.now() - began > 3_000)
      await stage.daemon.ask('POST', `/runs/${run.id}/cancel`, { reason: 'enough' })
      await pause(1_000)
      const before = processorTimeOf(stage.daemon)
      await pause(2_000)
      return processorTimeOf(stage.daemon) - before > 1
    },
    isLong: true,
  },
]
