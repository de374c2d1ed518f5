import type { Db } from '../../db/port.ts'
import { refusal } from '../../kernel/errors.ts'
import type { Repositories } from '../../repositories/port.ts'
import type { Continuation, CreateRun, RunRepository } from '../runs/contract.ts'
import { type Origin, readOrigin, requirePiece } from './origin.ts'
import { reopenRepository } from './repository.ts'

interface ForkDeps {
  readonly db: Db
  readonly repositories?: Repositories | undefined
}

/** The beginning of a run with other settings than the ended run whose work it has. */
interface Fork {
  /** Null: the ended run had no repository, so that only its settings are taken over. */
  readonly repository: RunRepository | null
  readonly continues: Continuation
}

export async function findFork(
  deps: ForkDeps,
  { repo, base }: Pick<CreateRun, 'repo' | 'base'>,
  { runId, from }: NonNullable<CreateRun['fork']>,
): Promise<Fork> {
  const origin = await deps.db.read((tx) => readOrigin(tx, runId))
  const { run } = origin
  const piece = from === undefined ? null : requirePiece(origin, from)
  const key = piece?.brief.key ?? null
  const continues: Omit<Continuation, 'commit' | 'note'> = {
    runId: run.id,
    kind: 'fork',
    from: key,
    kept: [],
    receives: {},
    planned: false,
    reason: null,
  }
  if (run.repository === null) {
    if (piece !== null)
      throw refusal('unsupported', `run ${run.id} had no repository: no commit has the result of ${key}`, {
        hint: `Do it again with what depends on it: agency retry ${run.id} --from ${key}`,
      })
    if (repo !== undefined)
      throw refusal('invalid_input', `run ${run.id} had no repository, so that its work cannot be brought into one`, {
        hint: 'Start a run of its own: agency new',
      })
    const note = `It takes no file of ${run.id} over, because that run had no repository: it begins in an empty folder.`
    return { repository: null, continues: { ...continues, commit: null, note } }
  }
  if (repo !== undefined && repo !== run.repository.path)
    throw refusal('invalid_input', `run ${run.id} worked in ${run.repository.path}, and a fork works there too`, {
      hint: 'Leave the repository out, or start a run of its own: agency new',
    })
  if (base !== undefined && base !== run.repository.branch)
    throw refusal('invalid_input', `run ${run.id} worked for ${run.repository.branch}, and a fork of it does so too`, {
      hint: 'Leave the branch out, or start a run of its own: agency new',
    })
  const commit = commitOf(origin, piece)
  const repository = await reopenRepository(deps.repositories, run, commit)
  const note = `It begins at ${commit.slice(0, 12)}, ${key === null ? 'the newest commit' : `the result of ${key}`} of ${run.id}.`
  return {
    // A merged result is no part of the new one: the branch has it already.
    repository: (await isLanded(deps, origin, commit)) ? { ...repository, base: commit } : repository,
    continues: { ...continues, commit, note },
  }
}

function commitOf({ run }: Origin, piece: ReturnType<typeof requirePiece> | null): string {
  if (piece === null) return run.head ?? (run.repository as RunRepository).base
  const commit = [...piece.rests, piece.brief].map(({ branchCommit }) => branchCommit).find((each) => each !== null)
  if (commit === null || commit === undefined)
    throw refusal('conflict', `${piece.brief.key} of ${run.id} has no result: no work of it was collected`, {
      hint: `Fork the whole run with "agency fork ${run.id}", or name another brief.`,
    })
  return commit
}

const isLanded = async ({ repositories }: ForkDeps, { run, hasLanded }: Origin, commit: string): Promise<boolean> =>
  hasLanded &&
  run.head !== null &&
  (await repositories?.contains((run.repository as RunRepository).mirror, run.head, commit)) === true
