import { mkdir, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import type { Git } from '../../repositories/git.ts'

const readme = `# Webhooks

Made for a demonstration of Agency. Whatever is added here comes from simulated agents.
`

/** Creates the repository that a demonstration works on, completely or not at all. An existing one stays unchanged. */
export async function makeDemoRepository(git: Git, path: string): Promise<string> {
  if (existsSync(join(path, '.git', 'refs', 'heads', branch))) return path
  await rm(path, { recursive: true, force: true })
  await mkdir(path, { recursive: true })
  await writeFile(join(path, 'README.md'), readme)
  await git.ask(['init', '--quiet', `--initial-branch=${branch}`, '.'], { cwd: path })
  await git.ask(['add', 'README.md'], { cwd: path })
  await git.ask(['commit', '--quiet', '--message', 'Begin'], { cwd: path, environment: author })
  return path
}

const branch = 'main'
const author = {
  GIT_AUTHOR_NAME: 'Agency',
  GIT_AUTHOR_EMAIL: 'agency@localhost',
  GIT_COMMITTER_NAME: 'Agency',
  GIT_COMMITTER_EMAIL: 'agency@localhost',
}
