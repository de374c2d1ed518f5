import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import Database from 'better-sqlite3'

/**
 * The shape of `bench/peers/agency.ts` as a LangGraph: plan, N steps, N verifications, accept; the nodes do nothing.
 * `--form fan-out` is the fastest form that we found: all steps in one superstep by `Send`, then all verifications, with
 * Agency's number of slots as the limit of parallelism (without a limit the cost grows with the square of N). Each
 * node's writes are one commit. `--form loop` is the form of LangGraph's tutorials, step → verify → step: two commits per
 * node. The functional API (`entrypoint`, `task`) is as fast as the fan-out with 200 steps and three times slower with
 * 2,000.
 *
 * Durability: LangGraph's saver sets WAL, and its driver would then sync only at checkpoints of the log (NORMAL). This
 * file sets FULL, as Agency does: every commit is synced. `durability: 'async'` is LangGraph's default and its fastest
 * setting here: the next superstep does not wait for the commits of the last one, but all of them are made.
 */
const { values } = parseArgs({ options: { store: { type: 'string' }, form: { type: 'string', default: 'fan-out' } } })

const database = new Database(values.store)
database.pragma('journal_mode = WAL')
database.pragma('synchronous = FULL')
const checkpointer = new SqliteSaver(database)
const graph = (values.form === 'loop' ? loop() : fanOut()).compile({ checkpointer })

let threads = 0
console.log('{}')
for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await time(JSON.parse(line))))
if (database.pragma('synchronous', { simple: true }) !== 2) throw new Error('LangGraph did not sync its commits')
database.close()

/** Returns the seconds that `runs` runs of `size` steps took. */
async function time({ size, runs }) {
  const began = performance.now()
  const cpu = process.cpuUsage()
  for (let count = 0; count < runs; count++) await run(size)
  const { user, system } = process.cpuUsage(cpu)
  return { seconds: (performance.now() - began) / 1_000, cpuSeconds: (user + system) / 1e6 }
}

async function run(size) {
  const { accepted } = await graph.invoke(
    { size },
    {
      configurable: { thread_id: `run ${++threads}` },
      recursionLimit: 2 * size + 10,
      maxConcurrency: 64,
      durability: 'async',
    },
  )
  if (accepted !== true) throw new Error(`a run of ${size} steps was not accepted`)
}

function fanOut() {
  const gathered = () => Annotation({ reducer: (all, more) => all.concat(more), default: () => [] })
  const State = Annotation.Root({
    size: Annotation(),
    keys: Annotation(),
    done: gathered(),
    passed: gathered(),
    accepted: Annotation(),
  })
  const each = (node) => (state) => state.keys.map((key) => new Send(node, { key }))
  return new StateGraph(State)
    .addNode('plan', ({ size }) => ({ keys: Array.from({ length: size }, (_, index) => `b${index}`) }))
    .addNode('step', ({ key }) => ({ done: [`Wrote ${key}.md.`] }))
    .addNode('gather', () => ({}))
    .addNode('verify', ({ key }) => ({ passed: [key] }))
    .addNode('accept', ({ size, passed }) => ({ accepted: passed.length === size }))
    .addEdge(START, 'plan')
    .addConditionalEdges('plan', each('step'), ['step'])
    .addEdge('step', 'gather')
    .addConditionalEdges('gather', each('verify'), ['verify'])
    .addEdge('verify', 'accept')
    .addEdge('accept', END)
}

function loop() {
  const State = Annotation.Root({
    size: Annotation(),
    at: Annotation(),
    done: Annotation(),
    verdict: Annotation(),
    accepted: Annotation(),
  })
  return new StateGraph(State)
    .addNode('plan', () => ({ at: 0 }))
    .addNode('step', ({ at }) => ({ done: `Wrote b${at}.md.` }))
    .addNode('verify', ({ at }) => ({ verdict: 'passed', at: at + 1 }))
    .addNode('accept', ({ size, at }) => ({ accepted: at === size }))
    .addEdge(START, 'plan')
    .addEdge('plan', 'step')
    .addEdge('step', 'verify')
    .addConditionalEdges('verify', ({ at, size }) => (at < size ? 'step' : 'accept'), ['step', 'accept'])
    .addEdge('accept', END)
}
