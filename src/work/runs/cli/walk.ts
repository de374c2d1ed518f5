import { closeSync, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'

import type { CliContext } from '../../../cli/context.ts'
import { faint, fit, visible } from '../../../cli/terminal.ts'
import { finishedKeys, foldLines, toggleFold } from './fold.ts'
import { failingOf, fetchInspection, type Inspection } from './inspection.ts'
import { type TreeLine, treeLines } from './tree.ts'

/** The cursor: on a line of the tree, or inside the opened line, scrolled to `top`. */
export interface Cursor {
  readonly at: number
  readonly opened: readonly string[] | null
  readonly top: number
}

export type Key = 'up' | 'down' | 'enter' | 'back' | 'first' | 'last' | 'quit' | 'refresh' | 'fold' | 'fold_all' | null

/** Returns the cursor after a key; null: quit. */
export function step(
  cursor: Cursor,
  key: Key,
  tree: readonly TreeLine[],
  open: (line: TreeLine) => string[],
): Cursor | null {
  const { at, opened, top } = cursor
  const last = (opened ?? tree).length - 1
  const bound = (value: number): number => Math.max(0, Math.min(last, value))
  const move = (to: number): Cursor => (opened === null ? { ...cursor, at: bound(to) } : { ...cursor, top: bound(to) })
  const now = opened === null ? at : top
  switch (key) {
    case 'up':
      return move(now - 1)
    case 'down':
      return move(now + 1)
    case 'first':
      return move(0)
    case 'last':
      return move(last)
    case 'enter': {
      const line = tree[at]
      return opened !== null || line === undefined ? cursor : { at, opened: open(line), top: 0 }
    }
    case 'back':
      return opened === null ? cursor : { at, opened: null, top: 0 }
    case 'quit':
      return opened === null ? null : { at, opened: null, top: 0 }
    default:
      return cursor
  }
}

/** Draws the screen for a cursor: at most `rows` lines, none wider than the terminal. */
export function draw(screen: CliContext, cursor: Cursor, tree: readonly TreeLine[], rows: number): string[] {
  const room = Math.max(1, rows - 1)
  const help =
    cursor.opened === null
      ? '↑ ↓ move   enter open   space fold   a all   r refresh   q quit'
      : '↑ ↓ scroll   ← back   q back'
  const body =
    cursor.opened === null
      ? window(tree, cursor.at, room).map(
          ({ item, index }) => `${index === cursor.at ? '›' : ' '} ${'  '.repeat(item.depth)}${item.text}`,
        )
      : cursor.opened.slice(cursor.top, cursor.top + room)
  return [...body.map((text) => fit(text, screen.columns)), faint(screen, fit(help, screen.columns))]
}

/** Returns the part of a list around the cursor. */
function window<Item>(items: readonly Item[], at: number, room: number): { item: Item; index: number }[] {
  const from = Math.max(0, Math.min(at - Math.floor(room / 2), items.length - room))
  return items.slice(from, from + room).map((item, offset) => ({ item, index: from + offset }))
}

const keys: Record<string, Key> = {
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  k: 'up',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
  j: 'down',
  '\x1b[H': 'first',
  g: 'first',
  '\x1b[F': 'last',
  G: 'last',
  '\r': 'enter',
  '\n': 'enter',
  '\x1b[C': 'enter',
  '\x1b[D': 'back',
  '\x7f': 'back',
  '\x1b': 'back',
  q: 'quit',
  '\x03': 'quit',
  r: 'refresh',
  ' ': 'fold',
  a: 'fold_all',
}
export const keyOf = (input: string): Key => (Object.hasOwn(keys, input) ? (keys[input] ?? null) : null)

const alternate = { on: '\x1b[?1049h\x1b[?25l', off: '\x1b[?25h\x1b[?1049l' }

/** Shows a run as a tree to browse with the arrow keys, and restores the terminal afterwards. */
export async function walkRun(
  context: CliContext,
  first: Inspection,
  { all, failing }: { all?: true; failing?: true },
): Promise<number> {
  const { stdin, stdout } = process
  let shown = first
  let whole = treeLines(context, shown)
  let folded = all ? new Set<string>() : finishedKeys(whole)
  let tree = foldLines(whole, folded)
  let cursor: Cursor | null = { at: 0, opened: null, top: 0 }
  const show = (): void => {
    if (cursor !== null)
      stdout.write(`\x1b[H\x1b[J${draw(context, cursor, tree, stdout.rows || 24).join('\x1b[K\r\n')}`)
  }
  stdin.setRawMode(true)
  stdout.write(alternate.on)
  stdout.on('resize', show)
  try {
    show()
    for await (const chunk of stdin) {
      // Several keys can arrive at once: an arrow is three characters, any other key is one.
      // oxlint-disable-next-line no-control-regex
      for (const [input] of String(chunk).matchAll(/\x1b[[O][A-Z]|[^]/g)) {
        const key = keyOf(input)
        if (input === '\x03') return 0
        if (key === 'refresh') {
          const fetched = await fetchInspection(context, shown.run.id)
          shown = failing ? failingOf(fetched) : fetched
          whole = treeLines(context, shown)
        }
        if (cursor.opened === null) {
          if (key === 'fold') folded = toggleFold(folded, tree[cursor.at]?.key)
          if (key === 'fold_all') folded = folded.size > 0 ? new Set() : finishedKeys(whole)
        }
        tree = foldLines(whole, folded)
        cursor = { ...cursor, at: Math.min(cursor.at, tree.length - 1) }
        cursor = step(cursor, key, tree, (line) => openLine(context, shown, line))
        if (cursor === null) return 0
        show()
      }
    }
    return 0
  } finally {
    stdout.off('resize', show)
    stdout.write(alternate.off)
    stdin.setRawMode(false)
    stdin.pause()
  }
}

function openLine(context: CliContext, { run }: Inspection, line: TreeLine): string[] {
  const about = line.open()
  if (line.artifact === undefined) return about
  const { briefId, path } = line.artifact
  const workspace = resolve(context.paths.workspaces, run.configuration.workspace ?? join(run.id, briefId))
  return [...about, '', ...readArtifact(workspace, path)]
}

const maxBytes = 1_000_000

/** Reads an artifact. An agent wrote it and may have placed a link: only files inside its own workspace are read. */
export function readArtifact(workspace: string, path: string): string[] {
  try {
    const real = realpathSync(join(workspace, path))
    if (!real.startsWith(`${realpathSync(workspace)}/`) || !lstatSync(real).isFile())
      return ['(not a file of its workspace)']
    return visible(beginningOf(real).toString('utf8')).split('\n')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return [code === 'ENOENT' ? '(the file no longer exists)' : `(the file cannot be read: ${visible(message)})`]
  }
}

function beginningOf(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(Math.min(maxBytes, fstatSync(file).size))
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, 0))
  } finally {
    closeSync(file)
  }
}
