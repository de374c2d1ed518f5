import { mkdir, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import type { Git } from '../../repositories/git.ts'
import type { DemoFiles } from './plays.contract.ts'

const webhooks = {
  'README.md': `# Webhooks

Made for a demonstration of Agency. Whatever is added here comes from simulated agents.
`,
}

/** Creates the repository that a demonstration works on, completely or not at all. An existing one stays unchanged. */
export async function makeDemoRepository(git: Git, path: string, files: DemoFiles = webhooks): Promise<string> {
  if (existsSync(join(path, '.git', 'refs', 'heads', branch))) return path
  await rm(path, { recursive: true, force: true })
  await mkdir(path, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text)
  await git.ask(['init', '--quiet', `--initial-branch=${branch}`, '.'], { cwd: path })
  await git.ask(['add', ...Object.keys(files)], { cwd: path })
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
