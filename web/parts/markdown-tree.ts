import type { Element, Root, RootContent } from 'hast'
import rehypeSanitize from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'

/** Elements within elements: React descends by recursion, and no person nests this deep. */
const maxDepth = 100
/** The page draws all elements at once. */
const maxNodes = 20_000

/** Quotes within quotes: the parser itself descends by recursion and needs memory for each level of each line. */
const nested = new RegExp(`(^|\\n)([ \\t]*>){${maxDepth}}`)

const processor = unified().use(remarkParse).use(remarkGfm).use(remarkRehype).use(rehypeSanitize)

/**
 * Parses Markdown into elements; everything except plain formatting is left out. Returns null for a text that cannot be
 * drawn. Some texts of 100,000 characters take minutes, so it is called in a worker with a deadline.
 */
export function markdownTree(text: string): Root | null {
  if (nested.test(text)) return null
  const tree = processor.runSync(processor.parse(text))
  const open: { node: Root | RootContent; depth: number }[] = [{ node: tree, depth: 0 }]
  for (let count = 0, next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1
    const { node, depth } = next
    if (count > maxNodes || depth > maxDepth) return null
    delete node.position
    if (node.type === 'element') closeAddresses(node)
    if ('children' in node)
      for (const child of node.children) open.push({ node: child as RootContent, depth: depth + 1 })
  }
  return tree
}

/** Keeps addresses of other servers that a person follows, and none that the browser itself would load. */
function closeAddresses({ properties }: Element): void {
  for (const name of ['src', 'srcSet', 'cite', 'longDesc']) delete properties[name]
  if (!/^(https?:|mailto:)/i.test(String(properties['href'] ?? ''))) delete properties['href']
}
