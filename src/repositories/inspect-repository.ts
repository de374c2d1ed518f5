import { refusal } from '../kernel/errors.ts'
import { shellQuote } from '../workspaces/quote.ts'
import type { Git } from './git.ts'
import { findRepository, type OperatorRepository } from './operator-repository.ts'
import { isAgencyPath } from './paths.ts'
import type { RepositoryFacts } from './port.ts'

/** Inspects the repository at a path for a run; refuses one that no run could work on from the branch `base`. */
export async function inspectRepository(git: Git, path: string, base?: string): Promise<RepositoryFacts> {
  const repository = await findRepository(git, path)
  const [branch, commit] = await Promise.all([branchOf(repository), headOf(repository)])
  const started = base === undefined ? commit : ((await commitOf(repository, base)) ?? commit)
  const [isDirty, tree, usesLfs] = await Promise.all([
    repository.bare ? false : hasChanges(repository),
    inspectTree(repository, started),
    namesLfs(repository, started),
  ])
  if (tree.holdsAgency)
    throw refusal(
      'unsupported',
      `${repository.path} has files under .agency/, which is reserved for Agency in a workspace`,
      {
        hint: `Remove them from the repository: git -C ${shellQuote(repository.path)} rm -r --cached .agency && git -C ${shellQuote(repository.path)} commit -m "Leave .agency to Agency"`,
      },
    )
  return {
    path: repository.path,
    bare: repository.bare,
    shallow: repository.shallow,
    branch,
    commit,
    dirty: isDirty,
    warnings: [
      ...(isDirty ? ['uncommitted changes are not part of this run'] : []),
      ...(tree.submodules > 0 ? [`submodules (${tree.submodules}) are not checked out`] : []),
      ...(usesLfs ? ['files in Git LFS stay pointers'] : []),
      ...(repository.shallow ? ['the repository is shallow: older history is missing'] : []),
    ],
  }
}

export async function branchOf(repository: OperatorRepository): Promise<string | null> {
  const { stdout } = await repository.run(['symbolic-ref', '--quiet', 'HEAD'])
  return /^refs\/heads\/(.+)\n$/.exec(stdout.toString('utf8'))?.[1] ?? null
}

async function headOf(repository: OperatorRepository): Promise<string> {
  const { exitCode, stdout } = await repository.run(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'])
  if (exitCode === 0) return stdout.toString('utf8').trim()
  const at = `git -C ${shellQuote(repository.path)}`
  throw refusal('invalid_input', `${repository.path} has no commits yet`, {
    hint: repository.bare
      ? `Push a commit to it: git push ${shellQuote(repository.path)} main`
      : `Create the first commit: ${at} add -A && ${at} commit -m "First commit"`,
  })
}

async function hasChanges(repository: OperatorRepository): Promise<boolean> {
  const args = ['status', '--porcelain', '-z', '--untracked-files=normal', '--ignore-submodules=dirty']
  // One changed file is as good as a million here.
  const { stdout } = await repository.run(args, { maxOutputBytes: 4_096, mayCut: true })
  return stdout.length > 0
}

async function commitOf(repository: OperatorRepository, branch: string): Promise<string | null> {
  const name = `refs/heads/${branch}^{commit}`
  const found = await repository.run(['rev-parse', '--quiet', '--verify', '--end-of-options', name])
  return found.exitCode === 0 ? found.stdout.toString('utf8').trim() : null
}

async function inspectTree(
  repository: OperatorRepository,
  commit: string,
): Promise<{ submodules: number; holdsAgency: boolean }> {
  const top = await repository.ask(['ls-tree', '-z', '--name-only', commit])
  const holdsAgency = top.split('\0').some(isAgencyPath)
  const hasModules = top.split('\0').includes('.gitmodules')
  if (!hasModules) return { submodules: 0, holdsAgency }
  const listed = await repository.run(['ls-tree', '-r', '-z', commit], { mayCut: true })
  const entries = listed.stdout.toString('latin1').split('\0')
  return { submodules: entries.filter((entry) => entry.startsWith('160000 ')).length, holdsAgency }
}

async function namesLfs(repository: OperatorRepository, commit: string): Promise<boolean> {
  const files = [':(top,glob).gitattributes', ':(top,glob)**/.gitattributes']
  const { exitCode } = await repository.run([
    'grep',
    '--quiet',
    '--fixed-strings',
    'filter=lfs',
    commit,
    '--',
    ...files,
  ])
  return exitCode === 0
}
