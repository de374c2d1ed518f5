import type { CliContext } from '../../../cli/context.ts'
import type { Prompter } from '../../../cli/prompter.ts'
import { confirmationText, plain, signText } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import type { EventLine } from '../../../events/cli.ts'
import { ApiError } from '../../../operations/problem.ts'
import type { DecidedGate, GateView } from '../../gates/contract.ts'
import { gateEndpoints } from '../../gates/endpoints.ts'
import type { Question } from '../../questions/contract.ts'
import { questionEndpoints } from '../../questions/endpoints.ts'

type Gate = Wire<GateView>

/** Asks the operator for the decisions of a run that is followed, one after the other, while the log goes on. */
export interface DecisionsHere {
  gate(gate: Gate): void
  question(question: Wire<Question>): void
  /** An event of a decision made elsewhere withdraws the question on this terminal. */
  note(event: EventLine): void
}

export function decideHere(context: CliContext, prompter: Prompter, leave: AbortSignal): DecisionsHere {
  const open = new Map<string, AbortController>()
  let last: Promise<void> = Promise.resolve()
  const queue = (id: string, work: (asking: Asking) => Promise<void>): void => {
    if (open.has(id)) return
    const decided = new AbortController()
    open.set(id, decided)
    const asking = { context, prompter, withdrawn: AbortSignal.any([decided.signal, leave]) }
    last = last.then(async () => {
      if (!asking.withdrawn.aborted) await work(asking)
      open.delete(id)
    })
  }
  return {
    gate: (gate) => queue(gate.id, (asking) => decideGate(asking, gate)),
    question: (question) => queue(question.id, (asking) => answerQuestion(asking, question)),
    note: ({ kind, data }) => {
      if (kind === 'gate_pending' || kind === 'question_asked') return
      const id = data['gate_id'] ?? data['question_id']
      if (typeof id === 'string' && decisive.has(kind)) open.get(id)?.abort()
    },
  }
}

const decisive = new Set(['gate_approved', 'gate_rejected', 'gate_resumed', 'question_answered', 'question_withdrawn'])

interface Asking {
  context: CliContext
  prompter: Prompter
  withdrawn: AbortSignal
}

async function decideGate(asking: Asking, gate: Gate): Promise<void> {
  const { context, prompter, withdrawn } = asking
  const { produced, next, anomalies } = gate.summary
  say(asking, `${signText(context, 'waiting')} gate ${plain(gate.gate)}  ${gate.id}`)
  if (produced !== '') say(asking, `  Produced  ${beginning(produced)}`)
  if (next !== '') say(asking, `  Next      ${beginning(next)}`)
  say(asking, `  Odd       ${anomalies.length === 0 ? 'nothing' : plain(anomalies.join('; '))}`)
  for (;;) {
    const answer = await prompter.ask('  [a]pprove  [r]eject  [o]pen in the browser  [l]ater > ', withdrawn)
    switch (answer?.toLowerCase()) {
      case undefined:
        return
      case 'a':
      case 'approve':
        if (await attempt(asking, () => send(context, gateEndpoints.approve, gate.id, {}))) return
        break
      case 'r':
      case 'reject': {
        const reason = await prompter.ask('  Reason, passed on to the agent that does the work again > ', withdrawn)
        if (reason === null) return
        if (reason === '') say(asking, '  Nothing was rejected: a rejection needs a reason.')
        else if (await attempt(asking, () => send(context, gateEndpoints.reject, gate.id, { reason }))) return
        break
      }
      case 'o':
      case 'open':
        await attempt(asking, async () => {
          const { open } = await import('../../../cli/daemon.ts')
          await open({ ...context, out: (line) => say(asking, `  ${line}`) }, { path: `/runs/${gate.run_id}` })
          return undefined
        })
        break
      case 'l':
      case 'later':
        say(asking, `  Later: agency approve ${gate.id}, or agency reject ${gate.id} --reason "…"`)
        return
      default:
        say(asking, '  Type a, r, o or l.')
    }
  }
}

async function send(
  { api }: CliContext,
  endpoint: (typeof gateEndpoints)['approve'],
  target: string,
  more: object,
): Promise<string> {
  return plain(confirmationText((await api().call<Wire<DecidedGate>>(endpoint, { target, ...more })).confirmation))
}

async function answerQuestion(asking: Asking, question: Wire<Question>): Promise<void> {
  const { context, prompter, withdrawn } = asking
  const { options } = question
  const words = question.class !== 'gate' && question.class !== 'checks'
  say(asking, `${signText(context, 'waiting')} question ${question.id}`)
  say(asking, `  ${plain(question.text)}`)
  if (question.context !== '') say(asking, `  ${beginning(question.context)}`)
  for (const [index, { key, label, detail }] of options.entries()) {
    const advice = key === question.recommendation ? ' (recommended)' : ''
    say(asking, `  ${index + 1}  ${plain(label)}${detail === '' ? '' : `: ${plain(detail)}`}${advice}`)
  }
  const numbers = options.length === 0 ? [] : [options.length === 1 ? '1' : `1–${options.length}`]
  const ways = [...numbers, ...(words ? ['your own words'] : []), '[l]ater'].join(', ')
  for (;;) {
    const answer = await prompter.ask(`  ${ways} > `, withdrawn)
    if (answer === null) return
    if (answer === '') continue
    if (/^l(ater)?$/i.test(answer)) return say(asking, `  Later: agency answer ${question.id} "…"`)
    const chosen = /^\d+$/.test(answer) ? options[Number(answer) - 1] : undefined
    if (chosen === undefined && /^\d+$/.test(answer) && options.length > 0) {
      say(asking, `  There is no option ${answer}. Type one of the options, or l to answer later.`)
      continue
    }
    const input = { question_id: question.id, answer: chosen?.key ?? answer }
    const isAnswered = await attempt(asking, async () => {
      await context.api().call(questionEndpoints.answer, input)
      return `answered: ${plain(chosen?.label ?? answer)}`
    })
    if (isAnswered) return
  }
}

const maxCharacters = 1_000

/** The options stay in view below a long text; the page shows all of it. */
const beginning = (text: string): string => {
  const line = plain(text)
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters)}…` : line
}

/** Returns false after a refusal, which is printed: the question stays open. */
async function attempt(asking: Asking, work: () => Promise<string | undefined>): Promise<boolean> {
  try {
    const done = await work()
    if (done !== undefined) say(asking, `  ${done}`)
    return done !== undefined
  } catch (error) {
    const hint = error instanceof ApiError ? (error.problem.hint ?? '') : ''
    say(asking, `  ${plain(`${(error as Error).message} ${hint}`)}`)
    return false
  }
}

/** Everything about a decision goes to standard error: standard output may be read by a script. */
const say = ({ context, prompter }: Asking, line: string): void => prompter.above(() => context.err(line))
