import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { Judgement } from '../../src/work/verdicts/contract.ts'

/** Writes the programs of a case into a folder; returns the command of each script. */
export function writePrograms(
  folder: string,
  scripts: Readonly<Record<string, string>>,
): Record<string, [string, ...string[]]> {
  mkdirSync(folder, { recursive: true })
  const tool = join(folder, 'agent.mjs')
  writeFileSync(tool, agentTool)
  return Object.fromEntries(
    Object.entries(scripts).map(([name, script]) => {
      const path = join(folder, `${name}.sh`)
      writeFileSync(path, `${prelude}${script}\n`)
      return [name, ['/bin/sh', path, tool]]
    }),
  )
}

/**
 * Functions for the scripts of agents. `claim` is the report as the last line of output; `report` and `judge` go
 * through the API with the token of the attempt.
 */
const prelude = `set -eu
agent=$1
cat > "\${TMPDIR:-/tmp}/prompt"
prompt="\${TMPDIR:-/tmp}/prompt"
put() { mkdir -p "$(dirname "$1")"; cat > "$1"; }
claim() { list=; for each; do list="$list\${list:+,}\\"$each\\""; done; printf '{"status":"done","summary":"It is done.","outputs":[%s]}\\n' "$list"; }
report() { node "$agent" report "$1"; }
amend() { node "$agent" amend "$1"; }
judge() { node "$agent" judge "$prompt" "$@"; }
commit() { git add -A; git -c user.name=Worker -c user.email=worker@localhost commit --quiet --allow-empty -m "$1"; }
`

/** An honest verifier that finds no fault, beside scripts that state a verdict of their own. */
export const passingVerifier = 'judge pass'

/** Whether a verdict states the hash of each file that was looked at. */
const judgedByData = Judgement.safeParse({
  verdict: 'pass',
  checked: [{ path: 'a', sha256: '0'.repeat(64) }],
}).success

const agentTool = `
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'

const [act, ...args] = process.argv.slice(2)
if (act === 'report') await post(JSON.parse(args[0]))
else if (act === 'amend') {
  const { run_id } = JSON.parse(await ask('GET', '/api/attempt/brief'))
  await ask('POST', '/api/runs/' + run_id + '/amendments', JSON.parse(args[0]))
}
else if (act === 'judge') {
  const [prompt, verdict, issue] = args
  const outputs = outputsIn(readFileSync(prompt, 'utf8'))
  const checked = outputs.map((path) => checkedOf(path)).filter((each) => each !== null)
  await post({
    status: 'done',
    summary: 'I looked at it.',
    verdict: { verdict, checked: checked.length > 0 ? checked : ['the report'], missing_evidence: [], issues: issue === undefined ? [] : [issue], notes: '' },
  })
}

function checkedOf(path) {
  try {
    const text = readFileSync(path)
    return ${judgedByData} ? { path, sha256: createHash('sha256').update(text).digest('hex') } : path + ': read'
  } catch {
    return null
  }
}

function outputsIn(text) {
  const section = /^### Outputs\\n\\n((?:- .*\\n?)*)/m.exec(text)?.[1] ?? ''
  return section.split('\\n').filter((line) => line.startsWith('- ') && line !== '- none').map((line) => line.slice(2).replace(/^\`|\`$/g, ''))
}

function post(body) {
  return ask('POST', '/api/attempt/report', body)
}

function ask(method, path, body) {
  return new Promise((resolve, reject) => {
    const asked = request({
      socketPath: process.env.AGENCY_SOCKET, path, method,
      headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.AGENCY_TOKEN },
    }, (answer) => {
      let text = ''
      answer.on('data', (part) => (text += part))
      answer.on('end', () => { console.log(answer.statusCode, text); resolve(text) })
    })
    asked.on('error', reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
`
