import { markdownTree } from './markdown-tree.ts'

addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(treeOf(data)))
postMessage('ready')

/** A text that overflows the stack of the parser is shown as it is. */
function treeOf(text: string): ReturnType<typeof markdownTree> {
  try {
    return markdownTree(text)
  } catch {
    return null
  }
}
