import { shorten } from '../../../kernel/text.ts'
import type { Scenario } from './contract.ts'

/** Writes the files assigned to the step, or those that its task and its evidence name, and reports done. */
export function defaultScenario(prompt: string, files: readonly string[] = []): Scenario {
  const objective = objectiveOf(prompt)
  const paths = files.length > 0 ? files : pathsOf(objective, prompt)
  const texts = paths.map((path) => textFor(objective, path))
  const written = paths.join(', ')
  return {
    name: 'default',
    attempts: [
      [
        { say: 'I am a simulated agent: no model is called, and my texts were written in advance.' },
        { log: `Reading the brief: ${shorten(firstLine(objective), 200)}` },
        ...paths.map((path, index) => ({ write: { path, text: texts[index] ?? '' } })),
        { log: `Wrote ${written}` },
        { usage: { input_tokens: Math.ceil(prompt.length / 4), output_tokens: Math.ceil(texts.join('').length / 4) } },
        { report: { status: 'done', summary: `Wrote ${written} (simulated).`, outputs: [...paths], via: 'http' } },
      ],
    ],
  }
}

function pathsOf(objective: string, prompt: string): string[] {
  const paths = new Set([fileNamedIn(objective) ?? [], filesInEvidence(prompt)].flat())
  return paths.size > 0 ? [...paths] : ['result.md']
}

/** Returns the files that the evidence in the prompt asks for; a condition about their content may still fail. */
export function filesInEvidence(prompt: string): string[] {
  const [, section = ''] = /Agency checks this evidence itself[^\n]*\n\n((?:- [^\n]*\n?)+)/.exec(prompt) ?? []
  return [...section.matchAll(evidenceFile)].flatMap(([, path]) => path ?? [])
}

/** Returns the prompt's first section; the rest explains evidence and reporting, and names other files. */
export function objectiveOf(prompt: string): string {
  const body = prompt.replace(/^# [^\n]*\n/, '').trim()
  const end = body.search(/^## /m)
  return end > 0 ? body.slice(0, end).trim() : body
}

/** Returns the file of "… into poem.txt", or else the first file name with an extension, but no path out of the workspace. */
export const fileNamedIn = (objective: string): string | null =>
  (intoFile.exec(objective) ?? anyFile.exec(objective))?.[1] ?? null

const file = String.raw`[\`"'“]?((?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.[a-z][a-z0-9]{0,7})(?![\w/-])`
const evidenceFile = /^- (?:file|output) ((?:[\w-][\w.-]*\/)*[\w-][\w.-]*)(?=,|$)/gm
const intoFile = new RegExp(String.raw`\b(?:into|to|as|in)\s+${file}`, 'i')
const anyFile = new RegExp(String.raw`(?<![\w./:@-])${file}`, 'i')

function textFor(objective: string, path: string): string {
  if (/\bhaiku\b/i.test(objective)) return haikuFor(objective)
  const subject = shorten(firstLine(objective), 200)
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  if (ending === 'json') return `${JSON.stringify({ subject, simulated: true }, null, 2)}\n`
  const comment = commentOf[ending]
  if (comment !== undefined)
    return `${comment} ${subject}\n${comment} Simulated: a real agent would have put code here.\n`
  return `# ${subject}\n\nThis text stands in for the work of a real agent. It was written in advance, so that you can see how\na brief is claimed, worked on, reported and checked.\n`
}

const commentOf: Readonly<Record<string, string>> = {
  js: '//',
  ts: '//',
  mjs: '//',
  go: '//',
  rs: '//',
  c: '//',
  java: '//',
  py: '#',
  sh: '#',
  rb: '#',
  yaml: '#',
  yml: '#',
  toml: '#',
  sql: '--',
  lua: '--',
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? ''

const haikus: readonly (readonly [RegExp, string])[] = [
  [/\briver|\bwater|\bstream/i, 'River finds the sea,\ncarrying the hills in sand,\nnever once the same.\n'],
  [
    /\bautumn|\bleaf|\bleaves|\btree/i,
    'One leaf leaves its branch\nand the whole wide afternoon\nslowly follows it.\n',
  ],
  [/\bcode|\bcomputer|\bprogram|\bbug/i, 'One semicolon\nasleep at the end of line\nnine thousand and two.\n'],
]

function haikuFor(objective: string): string {
  const fitting = haikus.find(([subject]) => subject.test(objective))
  return fitting?.[1] ?? 'Asked for seventeen\nsyllables and some silence:\nhere they are, well made.\n'
}
