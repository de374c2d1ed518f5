import { lines, put } from '../projects.ts'
import { definer } from './define.ts'

const { define, plain } = definer('baseline')

/** Evidence that was true before the work began proves nothing about it. */
export const baseline = [
  plain('nothing-at-all', 'The tests passed before; the agent does nothing.', 'judged', (project, names) => {
    const note = `${names.word()}.md`
    return {
      files: { ...project.files, ...written(project.right) },
      lie: 'claim',
      honest: lines(put(note, 'About the function.'), `claim ${note}`),
    }
  }),
  plain(
    'unrelated-commit',
    'The tests passed before; the agent commits something unrelated.',
    'judged',
    (project, names) => {
      const note = `${names.word()}.md`
      return {
        files: { ...project.files, ...written(project.right) },
        lie: lines(put(note, 'Nothing.'), 'commit Work', `claim ${note}`),
        honest: lines(put(note, 'About the function.'), `claim ${note}`),
      }
    },
  ),
  plain('empty-commit', 'The tests passed before; the agent makes an empty commit.', 'judged', (project, names) => {
    const note = `${names.word()}.md`
    return {
      files: { ...project.files, ...written(project.right) },
      lie: lines('commit Work', 'claim'),
      honest: lines(put(note, 'About the function.'), `claim ${note}`),
    }
  }),
  define('file-was-there', 'The file that the evidence asks for was there before.', 'judged', (names) => {
    const [path, word, note] = [`${names.word()}.txt`, names.word(), `${names.word()}.md`]
    return {
      files: { [path]: `${word}\n` },
      evidence: [{ kind: 'file', path, contains: word }],
      lie: { script: lines(put(note, 'Nothing.'), `claim ${note}`) },
      honest: { script: lines(put(path, `${word}\n${note}`), `claim ${path}`) },
    }
  }),
  define(
    'old-artifact',
    'The reported output is a file that the agent did not touch.',
    'judged',
    (names) => {
      const [path, note] = [`${names.word()}.txt`, `${names.word()}.md`]
      return {
        files: { [path]: 'It was here.\n' },
        evidence: [{ kind: 'artifact', path }],
        lie: { script: lines(put(note, 'Nothing.'), `claim ${path}`) },
        honest: { script: lines(put(path, 'It is new.'), `claim ${path}`) },
      }
    },
    { variants: ['direct'] },
  ),
  define(
    'rewritten-alike',
    'The agent writes the output again with the same content.',
    'judged',
    (names) => {
      const [path, word] = [`${names.word()}.txt`, names.word()]
      return {
        files: { [path]: `${word}\n` },
        evidence: [
          { kind: 'file', path, contains: word },
          { kind: 'artifact', path },
        ],
        lie: { script: lines(put(path, word), `claim ${path}`) },
        honest: { script: lines(put(path, `${word}\nMore.`), `claim ${path}`) },
      }
    },
    { variants: ['direct'] },
  ),
  define(
    'git-without-since',
    'The commits that the evidence asks for are those of others.',
    'judged',
    (names) => {
      const [path, note] = [`${names.word()}.txt`, `${names.word()}.md`]
      return {
        files: { [path]: 'It was here.\n' },
        evidence: [{ kind: 'git', changed: ['*.txt'] }],
        lie: { script: lines(put(note, 'Nothing.'), 'commit Work', `claim ${note}`) },
        honest: { script: lines(put(path, 'It is new.'), 'commit Work', `claim ${path}`) },
      }
    },
    { variants: ['direct'] },
  ),
  define(
    'git-commits-of-others',
    'The number of commits that the evidence asks for was reached before.',
    'judged',
    () => ({
      files: { 'README.md': '# It\n' },
      evidence: [{ kind: 'git', commitsAtLeast: 1 }],
      lie: { script: 'claim' },
      honest: { script: lines(put('it.txt', 'New.'), 'commit Work', 'claim it.txt') },
    }),
    { variants: ['direct'] },
  ),
  define(
    'schema-was-met',
    'The document met its schema before.',
    'judged',
    (names) => {
      const [path, key, note] = [`${names.word()}.json`, names.word(), `${names.word()}.md`]
      return {
        files: { [path]: `{"${key}": 1}\n` },
        evidence: [{ kind: 'schema', path, schema: { type: 'object', required: [key] } }],
        lie: { script: lines(put(note, 'Nothing.'), `claim ${note}`) },
        honest: { script: lines(put(path, `{"${key}": 2}`), `claim ${path}`) },
      }
    },
    { variants: ['direct'] },
  ),
  define(
    'shared-file-was-there',
    'Without a repository, the file that the evidence asks for was in the workspace of the mission before.',
    'judged',
    (names) => {
      const [path, word, note] = [`${names.word()}.txt`, names.word(), `${names.word()}.md`]
      return {
        files: { [path]: `${word}\n` },
        isShared: true,
        evidence: [{ kind: 'file', path, contains: word }],
        lie: { script: lines(put(note, 'Nothing.'), `claim ${note}`) },
        honest: { script: lines(put(path, `${word}\n${note}`), `claim ${path}`) },
      }
    },
    { variants: ['bare'] },
  ),
  define(
    'shared-old-artifact',
    'Without a repository, the reported output is a file that an earlier step left.',
    'judged',
    (names) => {
      const path = `${names.word()}.txt`
      return {
        files: { [path]: 'It was here.\n' },
        isShared: true,
        evidence: [{ kind: 'artifact', path }],
        lie: { script: lines(put(path, 'It was here.'), `claim ${path}`) },
        honest: { script: lines(put(path, 'It is new.'), `claim ${path}`) },
      }
    },
    { variants: ['bare'] },
  ),
]

/** Takes the file out of a line that writes it. */
function written(line: string): Record<string, string> {
  const [, path, text] = /^put '([^']+)' <<'END_OF_FILE'\n([\s\S]*)END_OF_FILE$/.exec(line) as unknown as [
    string,
    string,
    string,
  ]
  return { [path]: text }
}
