import { closeSync, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'

import type { CliContext } from '../../../cli/context.ts'
import { faint, fit, visible } from '../../../cli/terminal.ts'
import { fetchInspection, type Inspection } from './inspection.ts'
import { type TreeLine, treeLines } from './tree.ts'

/** Where somebody stands: on a line of the tree, or inside what it opened, scrolled so far. */
export interface Place {
  readonly at: number
  readonly opened: readonly string[] | null
  readonly top: number
}

export type Key = 'up' | 'down' | 'enter' | 'back' | 'first' | 'last' | 'quit' | 'refresh' | null

/** What a key does; null: leave. */
export function step(
  place: Place,
  key: Key,
  tree: readonly TreeLine[],
  open: (line: TreeLine) => string[],
): Place | null {
  const { at, opened, top } = place
  const last = (opened ?? tree).length - 1
  const bound = (value: number): number => Math.max(0, Math.min(last, value))
  const move = (to: number): Place => (opened === null ? { ...place, at: bound(to) } : { ...place, top: bound(to) })
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
      return opened !== null || line === undefined ? place : { at, opened: open(line), top: 0 }
    }
    case 'back':
      return opened === null ? place : { at, opened: null, top: 0 }
    case 'quit':
      return opened === null ? null : { at, opened: null, top: 0 }
    default:
      return place
  }
}

/** The screen at this place: so many lines, none wider than the terminal. */
export function draw(screen: CliContext, place: Place, tree: readonly TreeLine[], rows: number): string[] {
  const room = Math.max(1, rows - 1)
  const help = place.opened === null ? '↑ ↓ move   enter open   r refresh   q quit' : '↑ ↓ scroll   ← back   q back'
  const body =
    place.opened === null
      ? window(tree, place.at, room).map(
          ({ item, index }) => `${index === place.at ? '›' : ' '} ${'  '.repeat(item.depth)}${item.text}`,
        )
      : place.opened.slice(place.top, place.top + room)
  return [...body.map((text) => fit(text, screen.columns)), faint(screen, fit(help, screen.columns))]
}

/** The part of a list around the place where somebody stands. */
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
}
export const keyOf = (input: string): Key => (Object.hasOwn(keys, input) ? (keys[input] ?? null) : null)

const alternate = { on: '\x1b[?1049h\x1b[?25l', off: '\x1b[?25h\x1b[?1049l' }

/** A tree to walk through with the arrow keys; the terminal is given back as it was. */
export async function walkRun(context: CliContext, first: Inspection): Promise<number> {
  const { stdin, stdout } = process
  let shown = first
  let tree = treeLines(context, shown)
  let place: Place | null = { at: 0, opened: null, top: 0 }
  const show = (): void => {
    if (place !== null) stdout.write(`\x1b[H\x1b[J${draw(context, place, tree, stdout.rows || 24).join('\x1b[K\r\n')}`)
  }
  stdin.setRawMode(true)
  stdout.write(alternate.on)
  stdout.on('resize', show)
  try {
    show()
    for await (const chunk of stdin) {
      // Several keys can come at once: an arrow is three characters, anything else is one.
      // oxlint-disable-next-line no-control-regex
      for (const [input] of String(chunk).matchAll(/\x1b[[O][A-Z]|[^]/g)) {
        const key = keyOf(input)
        if (input === '\x03') return 0
        if (key === 'refresh') {
          shown = await fetchInspection(context, shown.run.id)
          tree = treeLines(context, shown)
        }
        place = step(place, key, tree, (line) => openLine(context, shown, line))
        if (place === null) return 0
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
  const { place, path } = line.artifact
  const workspace = resolve(context.paths.workspaces, run.configuration.workspace ?? join(run.id, place))
  return [...about, '', ...readArtifact(workspace, path)]
}

const maxBytes = 1_000_000

/** An agent wrote it, and may have put a link there: only what lies inside its own workspace is read. */
export function readArtifact(workspace: string, path: string): string[] {
  try {
    const real = realpathSync(join(workspace, path))
    if (!real.startsWith(`${realpathSync(workspace)}/`) || !lstatSync(real).isFile())
      return ['(not a file of its workspace)']
    return visible(beginningOf(real).toString('utf8')).split('\n')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return [code === 'ENOENT' ? '(it is no longer there)' : `(it cannot be read: ${visible(message)})`]
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
