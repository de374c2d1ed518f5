/**
 * Returns the script that a command names for an interpreter, such as `sh /tmp/list.sh`, if its path is absolute: it may
 * lie outside the workspace, where a box does not show it. Other words of the command are arguments.
 */
export function scriptOf([program = '', ...words]: readonly string[]): string | null {
  const name = program.slice(program.lastIndexOf('/') + 1)
  const kind = shells.test(name) ? 'shell' : languages.test(name) ? 'language' : null
  if (kind === null) return null
  const at = words.findIndex((word) => !word.startsWith('-'))
  const script = words[at]
  return script?.startsWith('/') !== true || words.slice(0, at).some((word) => takesWord[kind].test(word))
    ? null
    : script
}

const shells = /^(ba|da|k|z)?sh$/
const languages = /^(python|node|perl|ruby|php|lua|tsx)[0-9.]*$/
/** Options that take code or a module as the next word, so that it is not a script. */
const takesWord = { shell: /^-[a-z]*[co]$/, language: /^(-[a-z]*[cemrp]|--eval|--print|--require|--import|--loader)$/i }
