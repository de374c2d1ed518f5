import { command, optionalValue } from '../declare.ts'
import { json } from './options.ts'

export const pathCommand = command({
  name: 'path',
  summary: 'Tell whether your shell finds this program, and put it on the PATH',
  examples: ['agency path', 'agency path --add', 'agency path --add ~/bin'],
  options: [
    optionalValue('--add [folder]', 'Write a small script "agency" into this folder; default: ~/.local/bin'),
    json,
  ],
})
