import { refusal } from '../../kernel/errors.ts'
import type { Repositories } from '../../repositories/port.ts'
import type { Run, RunRepository } from '../runs/contract.ts'

/** Opens the repository of an ended run again, to begin with a commit of it; refuses one that is gone. */
export async function reopenRepository(
  repositories: Repositories | undefined,
  { id, repository }: Run,
  commit: string | null,
): Promise<RunRepository> {
  if (repositories === undefined || repository === null)
    throw refusal('unsupported', 'this Agency works in no repositories')
  const opened = await repositories.open(repository.path, repository.branch)
  if (commit === null) return opened
  if (!(await repositories.has(opened.mirror, commit)))
    throw refusal('conflict', `the commit ${commit.slice(0, 12)} of ${id} no longer exists`, {
      hint: `Its copy of the repository was removed. Begin again with "agency new --from ${id}".`,
    })
  return { ...opened, base: repository.base }
}
