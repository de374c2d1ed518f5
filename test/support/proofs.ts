import type { StepInput } from '../../src/adapters/runtime/scripted/contract.ts'
import type { Proof } from '../../src/work/proofs/contract.ts'
import { listProofs } from '../../src/work/proofs/store.ts'
import type { Question } from '../../src/work/questions/contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { type AgencyOptions, openAgency, type TestAgency } from './agency.ts'
import { makeRepository, openRepositories } from './repository.ts'
import { operator } from './work.ts'

/** The steps of an agent that writes one file. */
export const writes = (path: string, text: string): StepInput[] => [
  { write: { path, text } },
  { report: { summary: `wrote ${path}`, outputs: [path] } },
]

/** A brief of a plan whose attempts play these steps. */
export const briefOf = (key: string, evidence: readonly object[], steps: StepInput[], more: object = {}) => ({
  key,
  objective: `Write ${key}`,
  evidence: evidence as never,
  runtimeOptions: { scenario: { attempts: [steps] } },
  ...more,
})

/** Opens an agency with a real repository, which asks when something cannot go on. */
export async function openProofs(files: Record<string, string>, options: AgencyOptions = {}) {
  const repository = makeRepository(files)
  const { repositories, workspaces } = openRepositories()
  const agency = await openAgency({ repositories, workspaces, defaults: { onLimit: 'ask' }, ...options })
  await agency.engine.start()
  const start = (briefs: readonly object[], more: object = {}): Promise<Run> =>
    agency.run({ goal: 'Some files', repo: repository.path, briefs: briefs as never, ...more })
  return { repository, agency, start }
}

export const pendingGate = (agency: TestAgency, run: Run) =>
  agency.until(async () => (await agency.gates.ofRun(run.id)).gates.find((gate) => gate.status === 'pending'))

export const openQuestion = (agency: TestAgency, run: Run): Promise<Question> =>
  agency.until(async () => (await agency.inspect(run)).questions.find((each) => each.answeredAt === null))

export const approveMerge = (agency: TestAgency, run: Run) =>
  agency.gates.approve(operator, { target: run.id, gate: 'merge' })

export const proofsOf = (agency: TestAgency, run: Run): Promise<Proof[]> =>
  agency.db.read((tx) => listProofs(tx, run.id))
