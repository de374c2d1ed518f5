import { checkEvidence as checked } from '../../../src/engine/evidence/check.ts'

export * from '../../../src/engine/evidence/check.ts'

/** Runs commands where the agent works, so that a file that a check writes counts as delivered. */
export const checkEvidence: typeof checked = async (check) => {
  await checked({ ...check, workspace: { ...check.workspace, run: writing(check) } })
  return checked(check)
}

const writing =
  ({ files, workspace }: Parameters<typeof checked>[0]): typeof workspace.run =>
  async (command, limits) => {
    const result = await workspace.run(command, limits)
    for (const name of result.output.split('\n')) {
      const file = name === '' ? null : await workspace.read(name, 10_000)
      if (file !== null) await files.write(name, file.text)
    }
    return result
  }
