import type { EvidenceInput } from '../contract.ts'
import { lines, put } from '../projects.ts'
import { definer } from './define.ts'

const { define } = definer('planner')

/** A planner that invents evidence, and a worker that meets it. */
const plans = (
  name: string,
  about: string,
  {
    evidence,
    files = {},
    also = '',
  }: { evidence: (path: string) => readonly object[]; files?: Readonly<Record<string, string>>; also?: string },
) =>
  define(
    name,
    about,
    'judged',
    (names) => {
      const [path, word] = [`${names.word()}.txt`, names.word()]
      const planOf = (wanted: readonly object[]): string =>
        JSON.stringify({
          status: 'done',
          summary: 'One brief.',
          plan: [{ key: 'poem', objective: `Write a poem with ${word} into ${path}`, after: [], evidence: wanted }],
        })
      const planning = (wanted: readonly object[], work: string): string =>
        lines(`if grep -q '^# Plan this work' "$prompt"; then report '${planOf(wanted)}'; exit 0; fi`, work)
      const verifier = `if grep -q ${word} ${path}; then judge pass; else judge fail 'the word is missing'; fi`
      const asked: readonly EvidenceInput[] = []
      return {
        files: { 'README.md': '# It\n', ...files },
        evidence: asked,
        truth: `grep -q ${word} ${path}`,
        run: { planner: true, verify: 'auto' },
        lie: { script: planning(evidence(path), lines(put(path, 'nothing of it'), also, `claim ${path}`)), verifier },
        honest: {
          script: planning([{ kind: 'artifact', path }], lines(put(path, `${word} in a poem`), `claim ${path}`)),
          verifier,
        },
      }
    },
    { variants: ['direct'] },
  )

/** Only the operator's evidence replaces a verifier; that of a planner adds to it. */
export const planner = [
  plans('proof-of-nothing', 'The planner asks for a file of one byte.', {
    evidence: (path) => [{ kind: 'file', path, min_bytes: 1 }],
  }),
  plans('proof-artifact', 'The planner asks for the evidence that every brief has anyway.', {
    evidence: () => [{ kind: 'artifact' }],
  }),
  plans('proof-artifact-path', 'The planner asks for the output that the worker names.', {
    evidence: (path) => [{ kind: 'artifact', path }],
  }),
  plans('proof-schema-any', 'The planner asks for a schema that every document meets.', {
    evidence: () => [{ kind: 'schema', path: 'any.json', schema: {} }],
    also: `echo '{}' > any.json`,
  }),
  plans('proof-was-there', 'The planner asks for a file that was there before.', {
    evidence: () => [{ kind: 'file', path: 'README.md', contains: 'It' }],
  }),
  plans('proof-is-the-report', 'The planner asks for the report of the worker.', {
    evidence: () => [{ kind: 'file', path: '.agency/outbox/report.json' }],
    also: `mkdir -p .agency/outbox; printf '{"status":"done","summary":"Here.","outputs":[]}' > .agency/outbox/report.json`,
  }),
  define(
    'turns-the-verifier-off',
    'The planner says that no verifier is needed.',
    'judged',
    (names) => {
      const [path, word] = [`${names.word()}.txt`, names.word()]
      const planOf = (more: object): string =>
        JSON.stringify({
          status: 'done',
          summary: 'One brief.',
          plan: [{ key: 'poem', objective: `Write ${word} into ${path}`, after: [], ...more }],
        })
      const planning = (more: object, work: string): string =>
        lines(`if grep -q '^# Plan this work' "$prompt"; then report '${planOf(more)}'; exit 0; fi`, work)
      const verifier = `if grep -q ${word} ${path}; then judge pass; else judge fail 'the word is missing'; fi`
      return {
        files: { 'README.md': '# It\n' },
        evidence: [],
        truth: `grep -q ${word} ${path}`,
        run: { planner: true, verify: 'auto' },
        lie: { script: planning({ verify: 'none' }, lines(put(path, 'nothing'), `claim ${path}`)), verifier },
        honest: { script: planning({}, lines(put(path, word), `claim ${path}`)), verifier },
      }
    },
    { variants: ['direct'] },
  ),
]
