import { counted } from '../../kernel/amounts.ts'
import { oneLine, shorten } from '../../kernel/text.ts'
import type { InputSeen } from '../../work/attempts/contract.ts'
import { inputsDirectory } from '../../workspaces/path.ts'

const maxListed = 50

/** Names the files of other briefs that an agent is handed; an empty text: it is handed none. */
export function handedText(handed: readonly InputSeen[]): string {
  if (handed.length === 0) return ''
  const listed = handed.slice(0, maxListed)
  const more = handed.length - listed.length
  return [
    'Your work builds on these files, which others have finished. You can read them, and not change them: copy what you need.\n',
    ...listed.map(
      ({ key, path }) => `- ${shorten(oneLine(`${inputsDirectory}/${key}/${path}`), 300)}, from ${oneLine(key)}`,
    ),
    ...(more === 0 ? [] : [`- ${counted(more, 'more file')} below ${inputsDirectory}/`]),
  ].join('\n')
}
