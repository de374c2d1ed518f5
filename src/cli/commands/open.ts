import { command, flag, value } from '../declare.ts'

export const openCommand = command({
  name: 'open',
  summary: 'Print a link that signs a browser in, once, and open it',
  examples: ['agency open', 'agency open --numeric'],
  options: [
    value('--path <path>', 'Page that the link leads to', { default: '/' }),
    flag('--numeric', 'Use 127.0.0.1, for browsers that do not know the names below localhost'),
  ],
})
