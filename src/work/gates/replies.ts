import type { Db, ReadTx } from '../../db/port.ts'
import type { Actor } from '../../kernel/actor.ts'
import { AgencyError } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { resolvePersona } from '../../org/personas/find.ts'
import type { Question } from '../questions/contract.ts'
import { listQuestions } from '../questions/store.ts'
import type { DecidedGate, GateRow } from './contract.ts'
import { gateLine } from './pending.ts'
import { chosenOption, readReply, type Reply } from './reply.ts'
import { listGates } from './store.ts'

export interface Replying {
  db: Db
  approve(by: Actor, input: { target: string; as?: string | undefined }): Promise<DecidedGate>
  reject(by: Actor, input: { target: string; reason: string; as?: string | undefined }): Promise<DecidedGate>
  questions: { answer(by: Actor, questionId: string, answer: string): Promise<Question> }
}

export interface Replied {
  text: string
  done: boolean
}

/** Acts on a reply if its meaning is unambiguous; otherwise lists the candidates and does nothing. */
export function createReplies(parts: Replying) {
  return async (by: Actor, { text, from }: { text: string; from?: string | undefined }): Promise<Replied> => {
    const reply = readReply(text)
    try {
      return await act(parts, by, reply, from)
    } catch (error) {
      // A reply is answered with text, not with a status: the refusal is the answer.
      if (!(error instanceof AgencyError) || error.code === 'bug') throw error
      return not([error.message, error.hint].filter(Boolean).join('. '))
    }
  }
}

async function act(parts: Replying, by: Actor, reply: Reply, from: string | undefined): Promise<Replied> {
  switch (reply.kind) {
    case 'reasonless':
      return not('Say why: "reject: <reason>".')
    case 'answer':
      return answer(parts, by, reply.questionId, reply.answer)
    case 'words':
      return answerInWords(parts, by, reply.text)
    case 'approve':
    case 'reject':
      return decide(parts, by, reply, from)
  }
}

async function decide(
  parts: Replying,
  by: Actor,
  reply: Extract<Reply, { kind: 'approve' | 'reject' }>,
  from: string | undefined,
): Promise<Replied> {
  const { found, as } = await parts.db.read(async (tx) => ({
    found: reply.target ?? (await onlyGate(tx)),
    as: await personIn(tx, from),
  }))
  if (typeof found === 'object') return severalGates(found, reply.kind)
  const decided = await (reply.kind === 'approve'
    ? parts.approve(by, { target: found, as })
    : parts.reject(by, { target: found, reason: reply.reason, as }))
  return { text: decided.confirmation, done: true }
}

/** Returns the one gate that a reply without a name can mean, or all candidates. A pause cannot be approved by a reply. */
async function onlyGate(tx: ReadTx): Promise<string | GateRow[]> {
  const pending = (await listGates(tx, 'pending', 100)).filter((gate) => gate.gate !== 'manual')
  return pending.length === 1 ? (pending[0] as GateRow).id : pending
}

function severalGates(pending: readonly GateRow[], verb: 'approve' | 'reject'): Replied {
  if (pending.length === 0) return not('No gate waits for a decision.')
  const how = verb === 'approve' ? '"approve <id>"' : '"reject <id>: <reason>"'
  return not([`Which one? Say ${how}:`, ...pending.slice(0, 20).map((gate) => `- ${gateLine(gate)}`)].join('\n'))
}

/** A sender with an unknown name acts for the operator, whose token came with the request. */
async function personIn(tx: ReadTx, from: string | undefined): Promise<string | undefined> {
  if (from === undefined) return undefined
  const persona = await resolvePersona(tx, from).catch((error: unknown) => {
    if (error instanceof AgencyError && error.code !== 'bug') return null
    throw error
  })
  return persona === null ? undefined : persona.slug
}

async function answerInWords(parts: Replying, by: Actor, said: string): Promise<Replied> {
  const open = await parts.db.read((tx) => listQuestions(tx, { onlyWaiting: true }, 100))
  const waiting = open.filter(({ status }) => status !== 'with_lead')
  const [only] = waiting
  const key = waiting.length === 1 && only !== undefined ? chosenOption(only, said) : null
  if (only !== undefined && key !== null) return answer(parts, by, only.id, key)
  const several = waiting.filter((question) => chosenOption(question, said) !== null)
  if (waiting.length > 1 && several.length > 0)
    return not(['Which question? Say "answer <id>: <text>":', ...several.slice(0, 20).map(questionLine)].join('\n'))
  return not(whatCanBeSaid(waiting))
}

async function answer(parts: Replying, by: Actor, questionId: string, text: string): Promise<Replied> {
  const { options, answer: given } = await parts.questions.answer(by, questionId, text)
  const chosen = options.find((option) => option.key === given)
  return { text: `✅ Answered — ${chosen?.label ?? shorten(given ?? text, 200)}.`, done: true }
}

function whatCanBeSaid(waiting: readonly Question[]): string {
  return [
    'That was not understood. You can say:',
    '- approve, or approve <run or gate>',
    '- reject: <reason>, or reject <run or gate>: <reason>',
    '- answer <question>: <text>',
    ...waiting.slice(0, 5).map(questionLine),
  ].join('\n')
}

const questionLine = (question: Question): string => {
  const options = question.options.map((option, index) => `${index + 1} ${option.key}`).join(', ')
  return `- ${question.id}: ${shorten(question.text, 150)}${options === '' ? '' : ` (${options})`}`
}

const not = (text: string): Replied => ({ text, done: false })
