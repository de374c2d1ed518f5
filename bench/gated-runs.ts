import { post } from './home.ts'

export const gatedRuns = 1_000

/** Creates runs that wait for the approval of their plan. */
export async function openGatedRuns(home: string): Promise<void> {
  let left = gatedRuns
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const body = { goal: 'Wait for an approval', runtime: 'scripted', plan_gate: true }
      const run = await post<{ status?: string }>(home, '/runs', body)
      if (run.status !== 'gated') throw new Error(`a run that waits for an approval is ${JSON.stringify(run)}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, client))
}
