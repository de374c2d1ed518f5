import { readFileSync } from 'node:fs'

import { homePaths } from '../src/daemon/home.ts'

export const gatedRuns = 1_000

/** Creates runs that wait for the approval of their plan. */
export async function openGatedRuns(home: string): Promise<void> {
  const paths = homePaths({ AGENCY_HOME: home })
  const { address } = JSON.parse(readFileSync(paths.daemonFile, 'utf8')) as { address: string }
  const headers = {
    authorization: `Bearer ${readFileSync(paths.operatorToken, 'utf8').trim()}`,
    'content-type': 'application/json',
  }
  let left = gatedRuns
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const body = JSON.stringify({ goal: 'Wait for an approval', runtime: 'scripted', plan_gate: true })
      const answer = await fetch(`${address}/api/runs`, { method: 'POST', headers, body })
      const run = (await answer.json()) as { status?: string }
      if (run.status !== 'gated') throw new Error(`a run that waits for an approval is ${JSON.stringify(run)}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, client))
}
