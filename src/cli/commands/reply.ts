import { argument, command, value } from '../declare.ts'
import { json } from './options.ts'

export const replyCommand = command({
  name: 'reply',
  summary: 'Decide in plain words, as in a reply to a message',
  examples: ['agency reply approve', 'agency reply "reject: the second part is missing"'],
  arguments: [argument('<text>', 'approve, reject: <reason>, answer <question>: <text>, or an option')],
  options: [value('--from <person>', 'Person who replies, where several have to approve'), json],
})
