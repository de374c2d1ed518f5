import { inserted, record } from '../../events/change.ts'
import { shorten } from '../../kernel/text.ts'
import { countBriefs, newBrief } from '../briefs/create.ts'
import type { Brief, Guidance } from '../briefs/contract.ts'
import { eventTags } from '../briefs/moves.ts'
import { briefs, listBriefs } from '../briefs/store.ts'
import { describeEvidence, type Evidence } from '../evidence/contract.ts'
import { moveRun, moveRunsMission } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import { askAboutProof, gateOf } from './ask.ts'
import type { Proof } from './contract.ts'
import { provableEvidence } from './evidence.ts'
import { repairsOf } from './follow-up.ts'
import { openMergeGate } from './start.ts'
import { brokenText, failedOf, shortCommit } from './wording.ts'

/** The number of briefs that try to mend the result before the operator is asked. */
const repairLimit = 2

/** Mends a result that does not hold as a whole, or asks after the limit. */
export async function followFailure(scope: RunScope, proof: Proof): Promise<void> {
  await reopen(scope)
  // Evidence of a result need not hold without it: the person who takes it back decides, and no agent brings it back.
  if (scope.run.configuration.reverts !== undefined)
    return openMergeGate(scope, await gateOf(scope), '', [`Without the result, ${brokenText(proof)}`])
  const all = await listBriefs(scope.tx, scope.run.id)
  if (repairsOf(all).length < repairLimit) return addRepair(scope, proof)
  await askAboutProof(scope, proof, `the merged result does not hold: ${brokenText(proof)}`, 'merge')
}

/** Asks about a result that could not be checked, which is not the fault of the work. */
export async function followUnchecked(scope: RunScope, proof: Proof): Promise<void> {
  await reopen(scope)
  await askAboutProof(scope, proof, `the merged result could not be checked: ${proof.detail ?? ''}`, 'fault')
}

/** Takes an approved result back: it must be mended, so that it is approved again. */
async function reopen(scope: RunScope): Promise<void> {
  if (scope.run.status !== 'accepting') return
  await moveRun(scope, 'running', { message: 'the result with the new commits of its target is not proven' })
  await moveRunsMission(scope, ['in_progress'])
}

/** Adds a brief that starts at the merged result and makes its evidence hold. */
export async function addRepair(scope: RunScope, proof: Proof, guidance: readonly Guidance[] = []): Promise<void> {
  const { tx, run } = scope
  const all = await listBriefs(tx, run.id)
  const merged = all.filter(({ kind, status }) => kind === 'work' && (status === 'verified' || status === 'done'))
  const number = repairsOf(all).length + 1
  const brief = newBrief(scope, {
    id: scope.ids.next('brief'),
    key: `repair-${number}`,
    number: run.briefsTotal + 1,
    title: 'Repair the merged result',
    objective: objectiveOf(proof, merged),
    inputs: inputsOf(proof, merged),
    evidence: evidenceOf(proof, all),
    verify: run.configuration.verify === 'all' ? 'agent' : 'none',
    guidance: [...guidance],
    repairs: proof.id,
    ...castLike(scope, merged.at(-1)),
  })
  await record(
    tx,
    {
      kind: 'brief_created',
      by: scope.by,
      runId: run.id,
      briefId: brief.id,
      ...eventTags(scope, brief),
      level: 'normal',
      code: 'REPAIR',
      message: `${brief.key}: ${reasonOf(proof)}`,
      data: { to: 'pending', repairs: proof.id },
    },
    [inserted(briefs, brief)],
  )
  await countBriefs(scope, [brief], [], '1 brief more, to repair the result')
}

/** In a run of steps a repair is done and verified like the other work. */
const castLike = ({ playbook }: RunScope, like: Brief | undefined): Partial<Brief> =>
  like === undefined || like.phase === null
    ? {}
    : {
        phase: like.phase,
        capKey: like.capKey,
        groupKey: like.groupKey,
        data: like.data,
        verify: like.verify,
        ownerId: like.ownerId,
        personaId: like.personaId,
        positionId: like.positionId,
        verifierId: like.verifierId,
        runtime: like.runtime,
        provider: like.provider,
        runtimeOptions: like.runtimeOptions,
        crashLimit: like.crashLimit,
        retryBudget: like.retryBudget,
        verificationLimit: like.verificationLimit,
        ...playbook.derive?.(like, 'repair'),
      }

/** The failed items come first; every other command of the run must keep holding. */
function evidenceOf(proof: Proof, all: readonly Brief[]): Evidence[] {
  const failed = failedOf(proof).map(({ evidence }) => evidence)
  const commands = provableEvidence(all)
    .map(({ evidence }) => evidence)
    .filter(({ kind }) => kind === 'command')
  return [...new Map([...failed, ...commands].map((each) => [JSON.stringify(each), each])).values()]
}

/** The checks that failed say the reason; a proof that could not be made has none. */
const isUnchecked = ({ status }: Proof): boolean => status === 'unchecked'

const reasonOf = (proof: Proof): string =>
  isUnchecked(proof)
    ? `the merged result ${shortCommit(proof.head)} could not be checked: ${proof.detail ?? ''}`
    : brokenText(proof)

const mostListed = 20

function objectiveOf(proof: Proof, merged: readonly Brief[]): string {
  const failing = failedOf(proof)
    .slice(0, mostListed)
    .map(({ evidence, detail, briefs: keys }) => {
      const by = keys.length === 0 ? '' : ` (evidence of ${keys.slice(0, mostListed).join(', ')})`
      return `- ${shorten(describeEvidence(evidence), 500)}: ${shorten(detail, 300)}${by}`
    })
  const begin = `Repair the merged result ${shortCommit(proof.head)}, which your clone starts from.`
  return [
    ...(isUnchecked(proof)
      ? [`${begin} Each brief passed on its own, but their sum could not be checked; \`not_checked\` gives the reason.`]
      : [`${begin} Each brief passed on its own, but their sum does not:`, failing.join('\n')]),
    'Find the cause and mend it, so that all evidence holds. Keep the purpose of every brief that was merged:',
    merged
      .slice(-mostListed)
      .map(({ key, title }) => `- ${key}: ${shorten(title, 120)}`)
      .join('\n'),
  ].join('\n\n')
}

/** The output of failed checks is written by the work itself: it is data, not a part of the objective. */
const inputsOf = (proof: Proof, merged: readonly Brief[]): Brief['inputs'] => ({
  ...(isUnchecked(proof) ? { not_checked: proof.detail ?? '' } : {}),
  failed_checks: failedOf(proof)
    .slice(0, mostListed)
    .map(({ evidence, detail, output, briefs: keys }) => ({
      check: describeEvidence(evidence),
      briefs: keys,
      detail,
      output,
    })),
  merged_briefs: merged.slice(-mostListed).map(({ id, key, title, branchCommit }) => ({
    id,
    key,
    title,
    commit: branchCommit,
  })),
})
