import { type Document, LineCounter, type Node, parseDocument } from 'yaml'

import { shorten } from '../kernel/text.ts'
import type { Fault } from './contract.ts'
import { createFault, maxFaults, type SourceLocation } from './faults.ts'

/** A parsed YAML text. Faults are collected instead of thrown, so that a person can correct them all at once. */
export interface Source {
  /** The kind of document in messages: "plan", "team", "organisation". */
  readonly noun: string
  readonly document: Document.Parsed
  readonly root: Node | null
  readonly faults: Fault[]
  /** The location of a node; of null, the start of the document. */
  locationOf(node: Node | null | undefined): SourceLocation
}

/** Parses YAML and records its syntax errors and warnings as faults. */
export function parseSource(text: string, noun: string): Source {
  const lines = new LineCounter()
  // YAML's own check for duplicate keys compares every key with every other; the readers look keys up instead.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const locationAt = (offset: number): SourceLocation => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const faultsOf = (problems: Document.Parsed['errors' | 'warnings'], severity: Fault['severity']): Fault[] =>
    problems
      .slice(0, maxFaults)
      .map(({ code, message, pos }) =>
        createFault(
          code === 'MULTIPLE_DOCS' ? `a second document begins here; a file holds one ${noun}` : oneLine(message),
          locationAt(pos[0]),
          null,
          severity,
        ),
      )
  return {
    noun,
    document,
    root: document.contents as Node | null,
    faults: [...faultsOf(document.errors, 'error'), ...faultsOf(document.warnings, 'warning')],
    locationOf: (node) => locationAt(node?.range?.[0] ?? 0),
  }
}

/** Records a fault at a node, up to the limit. */
export function addFault(
  source: Pick<Source, 'faults' | 'locationOf'>,
  node: Node | null | undefined,
  message: string,
  subject: string | null,
  severity: Fault['severity'] = 'error',
): void {
  if (source.faults.length < maxFaults)
    source.faults.push(createFault(message, source.locationOf(node), subject, severity))
}

/** Reports whether every store keeps the text as it is: lone surrogates and NUL are lost or refused. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const oneLine = (text: string): string =>
  text.startsWith('Maximum call stack') ? 'nested far too deeply' : shorten(text.replace(/\s+/g, ' ').trim(), 300)
