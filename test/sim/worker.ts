import { injectBug } from './bugs/inject.ts'
import { nothing, type SeedRequest, type SeedResult } from './seeds.ts'

/** A process that plays the seeds it is sent, one after the other: `deal.ts` starts one for each core. */
let current: number | null = null
let injected: string | undefined

process.on('message', (request: SeedRequest) => {
  void play(request).then(answer)
})
process.on('disconnect', () => process.exit(0))
// Errors thrown outside any awaited call. The process is in an unknown state, so it ends.
process.on('uncaughtException', (error: unknown) => {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const failure = { invariant: 'every error is handled', detail }
  answer({ ...nothing, seed: current ?? 0, failure }, () => process.exit(1))
})

async function play({
  seed,
  playbook,
  bug,
  isPlain,
  withGit,
  withLead,
  workers,
  withLog,
}: SeedRequest): Promise<SeedResult> {
  current = seed
  if (bug !== undefined && injected === undefined) injectBug((injected = bug))
  // Imported after the injection, so that every importer gets the module with the bug.
  const { simulate } = await import('./simulate.ts')
  const cpu = process.cpuUsage()
  const {
    log: _,
    faults,
    ...outcome
  } = await simulate(seed, playbook, { isPlain, withGit, withLead, workers, withLog })
  const { user, system } = process.cpuUsage(cpu)
  return { ...outcome, faults: [...faults], cpuMs: (user + system) / 1_000 }
}

function answer(result: SeedResult, sent: () => void = () => {}): void {
  process.send?.(result, sent)
}
