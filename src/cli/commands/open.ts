import { command, value } from '../declare.ts'

export const openCommand = command({
  name: 'open',
  summary: 'Print a link that signs a browser in, once, and open it',
  examples: ['agency open'],
  options: [value('--path <path>', 'Page that the link leads to', { default: '/' })],
})
