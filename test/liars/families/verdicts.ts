import { lines, put } from '../projects.ts'
import type { Names } from '../names.ts'
import { definer } from './define.ts'

const { define } = definer('verdicts')

const scene = (names: Names, verdictOf: (path: string, word: string) => object, path = `${names.word()}.txt`) => {
  const word = names.word()
  const verdict = {
    verdict: 'pass',
    checked: [],
    missing_evidence: [],
    issues: [],
    notes: '',
    ...verdictOf(path, word),
  }
  const body = JSON.stringify({ status: 'done', summary: 'Good.', verdict }).replaceAll("'", '’')
  return {
    files: { 'README.md': '# It\n' },
    evidence: [],
    truth: `grep -q ${word} ${path}`,
    run: { verify: 'all' as const },
    lie: { script: lines(put(path, 'nothing of it'), `claim ${path}`), verifier: `report '${body}'` },
    honest: {
      script: lines(put(path, `${word} in a poem`), `claim ${path}`),
      verifier: `if grep -q ${word} ${path}; then judge pass; else judge fail 'it is wrong'; fi`,
    },
  }
}

const lie = (name: string, about: string, verdictOf: (path: string, word: string) => object) =>
  define(name, about, 'refused', (names) => scene(names, verdictOf), { variants: ['direct', 'tiered', 'bare'] })

/** A pass is data that the engine compares: it shows that the verifier has opened every file. */
export const verdicts = [
  lie('blind', 'The pass lists nothing.', () => ({})),
  lie('in-words', 'The pass names the file in words only.', (path) => ({ checked: [`${path}: read, it is fine`] })),
  lie('says-unseen', 'The pass says of the file that it was not looked at.', (path) => ({
    checked: [`${path} was NOT looked at`],
  })),
  define(
    'one-letter',
    'The name of the output is a letter that occurs in every sentence.',
    'refused',
    (names) => scene(names, () => ({ checked: ['a quick look at all of it'] }), names.random.pick(['a', 'e', 'i'])),
    { variants: ['direct', 'bare'] },
  ),
  lie('with-issues', 'The pass names issues.', (path) => ({
    checked: [`${path}: read`, { path, quote: 'nothing of it' }],
    issues: ['the poem is about nothing'],
  })),
  lie('with-missing-evidence', 'The pass names evidence that is missing.', (path) => ({
    checked: [`${path}: read`, { path, quote: 'nothing of it' }],
    missing_evidence: ['a poem'],
  })),
  lie('invented-file', 'The pass lists a file that does not exist.', (path) => ({
    checked: [
      { path, quote: 'nothing of it' },
      { path: `${path}.invented`, quote: 'a poem' },
    ],
  })),
  lie('wrong-hash', 'The pass states a hash that the file does not have.', (path) => ({
    checked: [{ path, sha256: '0123456789abcdef'.repeat(4) }],
  })),
  lie('wrong-quote', 'The pass quotes a line that the file does not have.', (path, word) => ({
    checked: [{ path, quote: `${word} in a poem` }],
  })),
  lie('quote-of-a-part', 'The pass quotes three letters that occur in every text.', (path) => ({
    checked: [{ path, quote: 'of' }],
  })),
  lie('not-done', 'The verifier passes the work in a report that is not done.', (path) => ({
    verdict: 'pass',
    checked: [{ path, quote: 'nothing of it' }],
    notes: 'I could not open it',
    unknown: true,
  })),
  define(
    'resubmits-unchanged',
    'After a failing verdict the same files come again, for another verifier.',
    'refused',
    (names) => {
      const [path, word] = [`${names.word()}.txt`, names.word()]
      // The second verifier is easy to please: it is not asked at all if nothing has changed.
      const verifier = `if [ "$(grep -c 'something else' "$prompt")" -gt 0 ]; then judge pass; elif grep -q ${word} ${path}; then judge pass; else judge fail 'it is about something else'; fi`
      return {
        files: { 'README.md': '# It\n' },
        evidence: [],
        truth: `grep -q ${word} ${path}`,
        run: { verify: 'all', verificationLimit: 1 },
        lie: { script: lines(put(path, 'nothing of it'), `claim ${path}`), verifier: fickle(word, path) },
        honest: {
          script: lines(
            `if grep -q 'something else' "$prompt"; then echo '${word} in a poem' > ${path}; else echo nothing > ${path}; fi`,
            `claim ${path}`,
          ),
          verifier: verifier.replace(/^if .*?; elif/, 'if'),
        },
      }
    },
    { variants: ['direct', 'bare'] },
  ),
]

/** A verifier that fails the first attempt that it sees and passes every later one. */
const fickle = (word: string, path: string): string =>
  `if grep -q ${word} ${path} || grep -q 'attempt 2' "$prompt" || [ "$(sed -n 's/.*:\\([0-9]*\\)$/\\1/p' "$prompt" | tail -1)" = 2 ]; then judge pass; else judge fail 'it is about something else'; fi`
