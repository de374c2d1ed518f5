import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { systemClock } from '../src/kernel/clock.ts'
import { noLog } from '../src/kernel/log.ts'
import { createGit } from '../src/repositories/git.ts'
import { createMirrors } from '../src/repositories/mirrors.ts'
import { freshFolder } from './daemon-process.ts'
import { atMost, type Benchmark, median } from './figures.ts'

const files = 5_000
const author = { name: 'Agency', email: 'agency@localhost' }

/** Time to clone a workspace compared with plain git, and disk use compared with the files themselves. */
export const clones: Benchmark = {
  name: 'clones',
  run: async ({ quick, log }) => {
    const count = quick ? 10 : 50
    const folder = freshFolder()
    const source = makeRepository(join(folder, 'source'))
    const mirrors = createMirrors({ root: join(folder, 'mirrors'), git: createGit({ clock: systemClock }), log: noLog })
    const { path: mirror, commit: start } = await mirrors.refresh(source)
    const ours: number[] = []
    const plain: number[] = []
    // In turns, so that other load on the machine affects both.
    for (let index = 0; index < count; index++) {
      ours.push(
        await timed(() =>
          mirrors.clone({ mirror, branch: `b-${index}`, start, author }, join(folder, 'ours', `${index}`)),
        ),
      )
      plain.push(
        await timed(() => git(folder, 'clone', '--quiet', '--shared', source, join(folder, 'plain', `${index}`))),
      )
    }
    const checkedOut = kilobytes(source, '--exclude=.git')
    const grown = kilobytes(join(folder, 'ours')) / count
    log(`${count} clones: ${sum(ours).toFixed(0)} ms, plain git ${sum(plain).toFixed(0)} ms`)
    log(`each ${grown.toFixed(0)} KB, its files alone ${checkedOut} KB`)
    rmSync(folder, { recursive: true, force: true })
    return [
      atMost(`${count} clones of ${files} files / git clone --shared`, sum(ours) / sum(plain), 1.25, '×', middle(ours)),
      atMost('disk of a clone / of its files', grown / checkedOut, 1.1, '×', `${checkedOut} KB of files`),
    ]
  },
}

function makeRepository(path: string): string {
  for (let index = 0; index < files; index++) {
    const folder = join(path, `package-${index % 50}`, `part-${index % 7}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `file-${index}.ts`), `export const value${index} = ${index}\n`.repeat(1 + (index % 60)))
  }
  git(path, 'init', '--quiet', '--initial-branch=main')
  git(path, 'add', '--all')
  git(
    path,
    '-c',
    `user.name=${author.name}`,
    '-c',
    `user.email=${author.email}`,
    'commit',
    '--quiet',
    '--message',
    'all',
  )
  // A repository that has been used for a while is packed; our mirror is packed too.
  git(path, 'repack', '-a', '-d', '--quiet')
  return path
}

function git(cwd: string, ...args: string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`)
}

const kilobytes = (path: string, ...args: string[]): number =>
  Number(
    spawnSync('du', ['--summarize', '--block-size=1024', ...args, path], { encoding: 'utf8' }).stdout.split('\t')[0],
  )

async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const middle = (values: readonly number[]): string => `${median(values).toFixed(0)} ms each`
