import { domainBranch, integrationBranch, workstreamBranch } from '../../../src/repositories/port.ts'
import { sqlOf } from '../../../src/db/tx.ts'
import type { Evidence } from '../../../src/work/evidence/contract.ts'
import type { RunRepository } from '../../../src/work/runs/contract.ts'
import type { History, Row, SeenEvent } from '../history.ts'
import { isTiered, nameOf, stepsInto } from '../invariants/brief.ts'
import type { World } from '../world.ts'
import type { GitView } from './git.ts'
import type { Tree } from './objects.ts'

/** Checks every merge, every proof and every landing against git itself. */
export function watchGit(world: World): void {
  const { git, history } = world
  if (git === null) return
  const check = (work: Promise<void>): void =>
    void work.catch((error: unknown) => world.fail('git has the commits that rows name', String(error)))
  const merged: MergedWork[] = []
  history.watch((event) => {
    const run = event.runId === null ? undefined : history.row('runs', event.runId)
    const repository = run === undefined ? null : repositoryOf(run)
    if (run === undefined || repository === null) return
    const place = { world, view: git.view, event, run, repository }
    if (event.kind === 'branch_merged') {
      merged.push({ runId: event.runId, briefId: event.briefId, commit: event.data['branch_commit'] })
      check(checkMerge(place))
    }
    if (event.kind === 'merged') check(checkLanding(place, merged))
    for (const { table, before, after } of event.steps)
      if (table === 'proofs' && after?.['status'] === 'passed' && before?.['status'] !== 'passed')
        check(checkProof(place, after))
    for (const status of ['verified', 'done'])
      for (const { before, after } of stepsInto(event, status))
        if (before?.['status'] !== 'verified' && after?.['kind'] === 'work') check(checkCommit(place, after))
  })
}

interface Place {
  readonly world: World
  readonly view: GitView
  readonly event: SeenEvent
  readonly run: Row
  readonly repository: RunRepository
}

/** The work of a brief that was merged and recorded. */
interface MergedWork {
  readonly runId: string | null
  /** Null: commits of the target branch. */
  readonly briefId: string | null
  readonly commit: unknown
}

const repositoryOf = (run: Row): RunRepository | null =>
  run['repository'] === null ? null : (JSON.parse(run['repository'] as string) as RunRepository)

/**
 * Checks that a recorded head joins the head that was recorded before it with the recorded work and nothing else: a
 * merge that was never recorded, such as that of a cancelled brief, is not in it.
 */
async function checkMerge({ world, view, event, repository }: Place): Promise<void> {
  const { mirror, base } = repository
  const commit = event.data['commit'] as string
  const work = event.data['branch_commit'] as string
  const [target] = ['parts', 'runs'].flatMap((table) =>
    event.steps.filter((step) => step.table === table && step.before?.['head'] !== step.after?.['head']),
  )
  const run = event.steps.find(({ table }) => table === 'runs')
  const before = (target?.before?.['head'] ??
    (run?.before ?? world.history.row('runs', event.runId as string))?.['head'] ??
    base) as string
  const refuse = (why: string): void =>
    world.fail(
      'a merge joins the recorded head with the recorded work',
      `${event.runId} ${event.data['part'] ?? ''}: ${why}`,
    )
  const brief = event.briefId === null ? undefined : world.history.row('briefs', event.briefId)
  if (brief !== undefined && event.data['part'] === undefined) {
    if (brief['status'] === 'cancelled' || brief['status'] === 'failed')
      refuse(`${nameOf(brief)} is ${brief['status']}`)
    if (brief['branch_commit'] !== work) refuse(`${nameOf(brief)} has ${brief['branch_commit']}, not ${work}`)
  }
  if (!(await view.isAncestor(mirror, work, commit))) refuse(`${commit} lacks the work ${work}`)
  if (!(await view.isAncestor(mirror, before, commit))) refuse(`${commit} lacks the earlier head ${before}`)
  if (commit === before || commit === work) return
  const parents = await view.parents(mirror, commit)
  if (parents[0] !== before) refuse(`it builds on ${parents[0]}, but ${before} was recorded`)
  // The work of a part comes through the branch of its domain.
  if (event.data['part'] === undefined && parents[1] !== work) refuse(`it merges ${parents[1]}, not ${work}`)
}

/** Checks that the file evidence of a passed proof is in the proven commit. */
async function checkProof({ world, view, run, repository }: Place, proof: Row): Promise<void> {
  const tree = await view.tree(repository.mirror, proof['head'] as string)
  const findings = JSON.parse(proof['findings'] as string) as { evidence: Evidence }[]
  for (const { evidence } of findings)
    if (!holdsIn(tree, evidence))
      world.fail(
        'a proof is about the merged commit',
        `${run['id']}: ${JSON.stringify(evidence)} is not in ${proof['head']}`,
      )
}

/** Checks that the commit of verified work has its files, whatever else is in the clone. */
async function checkCommit({ world, view, repository }: Place, brief: Row): Promise<void> {
  const commit = (brief['branch_commit'] ?? brief['start_commit']) as string | null
  if (commit === null) return
  const tree = await view.tree(repository.mirror, commit)
  for (const evidence of JSON.parse(brief['evidence'] as string) as Evidence[])
    if (!holdsIn(tree, evidence))
      world.fail(
        'evidence is about the collected commit',
        `${nameOf(brief)} is verified, and ${JSON.stringify(evidence)} is not in ${commit}`,
      )
}

const holdsIn = (tree: Tree, evidence: Evidence): boolean =>
  evidence.kind !== 'file' || tree.get(evidence.path)?.includes(evidence.contains ?? '') === true

/** Checks a landed result: it was approved, proven, has all finished work, and no work that was cancelled. */
async function checkLanding(
  { world, view, event, run, repository }: Place,
  merged: readonly MergedWork[],
): Promise<void> {
  const { history } = world
  const runId = run['id'] as string
  const { mirror, path } = repository
  const refuse = (why: string): void => world.fail('what lands is the approved result', `${runId}: ${why}`)
  const landed = event.data['commit'] as string
  const mains = await view.mains(path)
  if (!mains.includes(landed)) refuse(`main never was at ${landed}`)
  const proofs = history.of('proofs', runId)
  const isProven = proofs.some((proof) => proof['head'] === landed && proof['status'] === 'passed')
  const isForced = history.of('questions', runId).some((question) => question['answer'] === 'open')
  if (proofs.length > 0 && !isProven && !isForced) refuse(`${landed} was never proven`)
  const briefs = history.of('briefs', runId).filter((brief) => brief['kind'] === 'work')
  for (const brief of briefs) {
    const commit = brief['branch_commit'] as string | null
    if (commit === null) continue
    const isThere = await view.isAncestor(mirror, commit, landed)
    const isDone = brief['status'] === 'verified' || brief['status'] === 'done'
    if (isDone && !isThere) refuse(`it lacks the work of ${nameOf(brief)}`)
    // The rest of a brief that changes nothing has the commit of that brief, which was merged for itself.
    const isOfAnother = merged.some(
      (work) => work.runId === runId && work.briefId !== null && work.briefId !== brief['id'] && work.commit === commit,
    )
    // A task of a pipeline may build on one that was replaced later.
    if (brief['status'] === 'cancelled' && isThere && !isOfAnother && !isTiered(run))
      refuse(`it has the work of the cancelled ${nameOf(brief)}`)
  }
}

/** Checks at rest that branches follow the rows, and that main has kept all its commits. */
export async function checkGitAtRest(world: World): Promise<void> {
  const { git, history } = world
  if (git === null) return
  for (const path of git.paths) {
    const mains = await git.view.mains(path)
    const [run] = [...history.rows('runs').values()].filter((each) => repositoryOf(each)?.path === path)
    const mirror = run === undefined ? undefined : repositoryOf(run)?.mirror
    if (mirror === undefined) continue
    for (const [index, commit] of mains.slice(1).entries())
      if (!(await git.view.isAncestor(mirror, mains[index] as string, commit)))
        world.fail('main never loses a commit', `${path}: ${mains[index]} is not in ${commit}`)
  }
  for (const run of history.rows('runs').values()) await checkBranches(world, git.view, run)
}

async function checkBranches({ history, fail }: World, view: GitView, run: Row): Promise<void> {
  const repository = repositoryOf(run)
  if (repository === null) return
  const runId = run['id'] as string
  const { mirror } = repository
  const follows = async (name: string, head: unknown): Promise<void> => {
    if (head === null) return
    const branch = await view.branch(mirror, name)
    // The branch is made by the first merge.
    if (branch === null && head === repository.base) return
    // Only a merge that was never recorded may be ahead of the row, until the next one.
    if (branch === head || (branch !== null && (await view.parents(mirror, branch))[0] === head)) return
    fail('a branch follows its row', `${name} of ${runId} is at ${branch}, and ${head} is recorded`)
  }
  // A landed result may be that of main, which other runs have moved.
  if (run['status'] !== 'done') await follows(integrationBranch(runId), run['head'])
  for (const part of history.of('parts', runId)) {
    const key = part['key'] as string
    if (key.startsWith('ws:')) await follows(workstreamBranch(runId, key.slice(3)), part['head'])
    const { domain } = JSON.parse(part['data'] as string) as { domain?: string }
    if (part['domain_head'] !== null && domain !== undefined)
      await follows(domainBranch(runId, domain), part['domain_head'])
  }
}

/** Checks that nothing reached main without an approval, or twice, and that nothing is left of ended runs. */
export async function checkGitAtEnd(world: World): Promise<void> {
  const { git, history } = world
  if (git === null) return
  await checkGitAtRest(world)
  const runs = [...history.rows('runs').values()].filter((run) => run['repository'] !== null)
  for (const path of git.paths) await checkMoves(world, git.view, path, runs)
  const ids = new Set(runs.map((run) => run['id'] as string))
  const left = await git.view.left(ids)
  if (left.length > 0) world.fail('no clone and no checkout is left', left.join(', '))
  const jobs = await world.db.read((tx) => sqlOf(tx).all('SELECT kind, payload, status FROM jobs'))
  const kinds = ['integrate', 'land', 'prove', 'clean_run']
  for (const job of jobs)
    if (kinds.includes(String(job['kind'])))
      world.fail('no job is left', `${job['kind']} ${job['payload']} is ${job['status']}`)
}

/** Every commit of main is the operator's, or the approved head of one run. */
async function checkMoves(world: World, view: GitView, path: string, runs: readonly Row[]): Promise<void> {
  const { history } = world
  const mine = runs.filter((run) => repositoryOf(run)?.path === path)
  const landings = (await view.landings(path)).map((commit) => {
    const run = mine.find((each) => headsOf(history, each['id'] as string).has(commit))
    if (run === undefined) world.fail('nothing lands unapproved', `${path}: ${commit} is no recorded head of a run`)
    return run?.['id']
  })
  for (const [index, runId] of landings.entries()) {
    if (runId === undefined) continue
    if (landings.indexOf(runId) !== index) world.fail('nothing lands twice', `${String(runId)} in ${path}`)
    const isApproved = history
      .of('gates', runId as string)
      .some((gate) => gate['gate'] === 'merge' && gate['status'] === 'approved')
    if (!isApproved) world.fail('nothing lands unapproved', `${String(runId)} in ${path}`)
    const status = history.row('runs', runId as string)?.['status']
    if (status !== 'done') world.fail('a landed run is done', `${String(runId)} is ${String(status)}`)
  }
}

const headsOf = (history: History, runId: string): ReadonlySet<unknown> =>
  new Set([
    history.row('runs', runId)?.['head'],
    ...history.of('proofs', runId).map((proof) => proof['head']),
    ...history.of('pull_requests', runId).flatMap((each) => [each['head_commit'], each['merged_commit']]),
  ])
