import type { catCommand } from '../../cli/commands/cat.ts'
import type { Handler, OptionsFor } from '../../cli/declare.ts'
import { plain } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { ArtifactEntry, ArtifactView } from './contract.ts'
import { artifactEndpoints } from './endpoints.ts'

type Entry = Wire<ArtifactEntry>

/** Prints an artifact: its bytes unchanged into a pipe, on a terminal as text without anything that moves the cursor. */
export const printArtifact: Handler<typeof catCommand> = async (context, run, file, options) => {
  const client = context.api()
  const { artifacts } = await client.call<{ artifacts: Entry[] }>(artifactEndpoints.list, { run_id: run })
  const chosen = choose(artifacts, run, file, options)
  const input = { artifact_id: chosen.id }
  if (!chosen.is_accepted)
    context.err(`agency: version ${chosen.version} of ${plain(file)} is not accepted: its brief is not done with it`)
  if (!context.isTty) {
    await client.download(artifactEndpoints.file, input, write)
    return 0
  }
  const { kind } = await client.call<Wire<ArtifactView>>(artifactEndpoints.show, { ...input, lines: 1 })
  if (kind === 'image' || kind === 'binary')
    throw refusal('invalid_input', `"${file}" is not text`, { hint: 'Redirect it to a file with ">".' })
  const decoder = new TextDecoder()
  await client.download(artifactEndpoints.file, input, (part) => context.text(decoder.decode(part, { stream: true })))
  context.text(decoder.decode())
  return 0
}

/** Waits for a slow reader: the file may be larger than the memory. */
const write = (part: Buffer): Promise<void> | void => {
  if (!process.stdout.write(part)) return new Promise((resolve) => process.stdout.once('drain', resolve))
}

function choose(
  artifacts: readonly Entry[],
  run: string,
  file: string,
  { version, brief }: OptionsFor<typeof catCommand>,
): Entry {
  const ofBrief = artifacts.filter(
    (each) => brief === undefined || each.brief_key === brief || each.brief_id?.startsWith(brief) === true,
  )
  const named = ofBrief.filter(({ name }) => bare(name) === bare(file))
  if (named.length === 0) {
    const names = [...new Set(ofBrief.map(({ name }) => plain(name)))]
    const others =
      names.length === 0
        ? `It has produced none${brief === undefined ? ' yet' : ' in this brief'}.`
        : `It has produced: ${shorten(names.join(', '), 400)}`
    throw refusal('not_found', `run ${run} has no file "${file}"`, { hint: others })
  }
  const found =
    version === undefined
      ? (named.find((each) => each.is_accepted) ?? named[0])
      : named.find((each) => each.version === version)
  if (found !== undefined) return found
  throw refusal('not_found', `"${file}" has no version ${version}`, {
    hint: `Its versions: ${named.map((each) => each.version).join(', ')}`,
  })
}

const bare = (name: string): string => name.replace(/^(?:\.\/+)+/, '')
