import type { ChartSeat } from '../../src/org/chart/contract.ts'
import { type Node, treeOf } from './tree.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Box extends Size {
  readonly x: number
  readonly y: number
}

export interface Placed extends Box {
  readonly seat: ChartSeat
}

/** A chart ready to be drawn: the position of each seat, and each kind of line as the `d` of one path. */
export interface Layout {
  /** From top to bottom: a seat, then its reports. */
  readonly seats: readonly Placed[]
  readonly operator: Box
  readonly width: number
  readonly height: number
  readonly reporting: string
  /** Only for seats that escalate to another seat than they report to. */
  readonly escalation: string
  readonly arrows: string
}

export const seatWidth = 208
export const seatHeight = 72
const operatorWidth = 112
const operatorHeight = 32
const gapX = 24
const gapY = 24
/** Distance between a seat and the first row below it, with room for the branching line. */
const drop = 40
/** Indentation of a column below its manager, whose line runs down on the left. */
const indent = 28
const spine = 14

/** Size of a typical window. Positions must not depend on the real window, or they would change with it. */
const typicalWindow = { width: 1_080, height: 620 }
/** From this scale on all text on a seat is readable; then the familiar plain tree is used. */
const readableScale = 0.7

/**
 * Lays out a plain tree as long as all of it is readable; larger charts get broken rows, so that most is visible at once.
 * (A plain tree of 500 seats is some 80,000 pixels wide and five rows high.)
 */
export function layoutChart(seats: readonly ChartSeat[]): Layout {
  const root = treeOf(seats)
  let best = arrange(root, { rowWidth: Infinity, columns: Infinity })
  if (scaleOf(best) >= readableScale) return drawChart(best)
  const side = Math.sqrt(
    seats.length * (seatWidth + gapX) * (seatHeight + gapY) * (typicalWindow.width / typicalWindow.height),
  )
  for (const factor of [0.7, 0.85, 1, 1.15, 1.3, 1.5, 1.75, 2, 2.4])
    for (const columns of [1, 2, 3, Infinity]) {
      const tried = arrange(root, { rowWidth: side * factor, columns })
      if (scaleOf(tried) > scaleOf(best)) best = tried
    }
  return drawChart(best)
}

const scaleOf = ({ width, height }: Size): number =>
  Math.min(1, typicalWindow.width / width, typicalWindow.height / height)

/** A node and all nodes below it as one rectangle; its content is placed relative to its top left corner. */
interface Block {
  readonly node: Node
  readonly width: number
  readonly height: number
  /** Left edge of the seat itself, which is always at the top. */
  readonly seatX: number
  readonly below: readonly Below[]
  /** The course of the line: branching from the middle, or down the left side. */
  readonly line: 'middle' | 'left'
}

interface Below {
  readonly block: Block
  readonly x: number
  readonly y: number
}

const sizeOf = (node: Node): Size =>
  node.seat === null ? { width: operatorWidth, height: operatorHeight } : { width: seatWidth, height: seatHeight }

interface Arrangement {
  /** Maximum width of a row; a wider one is broken. */
  readonly rowWidth: number
  /** Number of columns for seats without reports below their manager. */
  readonly columns: number
}

function arrange(node: Node, arrangement: Arrangement): Block {
  if (node.below.length === 0) return { node, ...sizeOf(node), seatX: 0, below: [], line: 'middle' }
  const areLeaves = node.below.every((each) => each.below.length === 0)
  const blocks = node.below.map((each) => arrange(each, arrangement))
  return stackRows(node, rowsOf(blocks, areLeaves ? arrangement.columns : Infinity, arrangement.rowWidth))
}

function stackRows(node: Node, rows: readonly (readonly Block[])[]): Block {
  const own = sizeOf(node)
  const below: Below[] = []
  let width = own.width
  let y = own.height + drop
  for (const row of rows) {
    let x = rows.length === 1 ? 0 : indent
    for (const block of row) {
      below.push({ block, x, y })
      x += block.width + gapX
    }
    width = Math.max(width, x - gapX)
    y += Math.max(...row.map((block) => block.height)) + gapY
  }
  const size = { width, height: y - gapY }
  if (rows.length > 1) return { node, ...size, seatX: 0, below, line: 'left' }
  const [first, last] = [below[0] as Below, below.at(-1) as Below]
  const middle = (first.x + first.block.seatX + last.x + last.block.seatX + seatWidth) / 2
  return { node, ...size, seatX: Math.max(0, middle - own.width / 2), below, line: 'middle' }
}

function rowsOf(blocks: readonly Block[], columns: number, rowWidth: number): Block[][] {
  const rows: Block[][] = []
  let width = 0
  for (const block of blocks) {
    const row = rows.at(-1)
    if (row === undefined || row.length >= columns || width + gapX + block.width > rowWidth) {
      rows.push([block])
      width = block.width
    } else {
      row.push(block)
      width += gapX + block.width
    }
  }
  return rows
}

function drawChart(block: Block): Layout {
  const seats: Placed[] = []
  const reporting: string[] = []
  let operator: Box = { x: 0, y: 0, width: operatorWidth, height: operatorHeight }
  const place = (each: Block, x: number, y: number): void => {
    const box = { x: x + each.seatX, y, ...sizeOf(each.node) }
    if (each.node.seat === null) operator = box
    else seats.push({ ...box, seat: each.node.seat })
    reporting.push(...linesBelow(each, box, x, y))
    for (const below of each.below) place(below.block, x + below.x, y + below.y)
  }
  place(block, 0, 0)
  const boxes = new Map<number | null, Box>(seats.map((placed) => [placed.seat.positionId, placed]))
  boxes.set(null, operator)
  const elsewhere = seats.flatMap((placed) => {
    const to = boxes.get(placed.seat.escalatesToId)
    return to === undefined || !escalatesElsewhere(placed.seat) ? [] : [escalationLine(placed, to)]
  })
  return {
    seats,
    operator,
    width: block.width,
    height: block.height,
    reporting: reporting.join(''),
    escalation: elsewhere.map((line) => line.line).join(''),
    arrows: elsewhere.map((line) => line.arrow).join(''),
  }
}

export const escalatesElsewhere = (seat: Pick<ChartSeat, 'reportsToId' | 'escalatesToId'>): boolean =>
  seat.escalatesToId !== seat.reportsToId

/** Draws the lines from a seat to its reports with horizontal and vertical segments. */
function linesBelow(block: Block, box: Box, x: number, y: number): string[] {
  const ends = block.below.map((below) => ({
    x: x + below.x + below.block.seatX,
    y: y + below.y,
    middle: x + below.x + below.block.seatX + sizeOf(below.block.node).width / 2,
  }))
  if (ends.length === 0) return []
  const bottom = box.y + box.height
  if (block.line === 'middle') {
    const from = box.x + box.width / 2
    const bus = bottom + drop / 2
    const across = ends.map((end) => end.middle).concat(from)
    return [
      `M${from} ${bottom}V${bus}`,
      ...(ends.length > 1 ? [`M${Math.min(...across)} ${bus}H${Math.max(...across)}`] : []),
      ...ends.map((end) => `M${end.middle} ${bus}V${end.y}`),
    ]
  }
  const down = box.x + spine
  const rows = [...Map.groupBy(ends, (end) => end.y)]
  const isColumn = rows.every(([, row]) => row.length === 1)
  const levels = rows.map(([top, row]) => {
    const at = isColumn ? top + seatHeight / 2 : top - gapY / 2
    const lines = isColumn
      ? row.map((end) => `M${down} ${at}H${end.x}`)
      : [
          `M${down} ${at}H${Math.max(...row.map((end) => end.middle))}`,
          ...row.map((end) => `M${end.middle} ${at}V${end.y}`),
        ]
    return { at, lines }
  })
  return [
    `M${down} ${bottom}V${Math.max(...levels.map((level) => level.at))}`,
    ...levels.flatMap((level) => level.lines),
  ]
}

/**
 * Draws an escalation line into the side of the target that it comes from: top and bottom belong to the reporting
 * lines.
 */
function escalationLine(from: Box, to: Box): { line: string; arrow: string } {
  const isBeside = from.y < to.y + to.height && to.y < from.y + from.height
  const isRight = from.x + from.width / 2 >= to.x + to.width / 2
  const way = isRight ? 1 : -1
  const side = isRight ? to.x + to.width : to.x
  if (isBeside) {
    const y = (Math.max(from.y, to.y) + Math.min(from.y + from.height, to.y + to.height)) / 2
    return { line: `M${isRight ? from.x : from.x + from.width} ${y}H${side}`, arrow: arrowAcross(side, y, way) }
  }
  const isAbove = to.y < from.y
  const up = isAbove ? 1 : -1
  const x1 = from.x + from.width * (isRight ? 0.75 : 0.25)
  const y1 = isAbove ? from.y : from.y + from.height
  const isUnder = x1 > to.x - 24 && x1 < to.x + to.width + 24
  if (isUnder) {
    const x2 = to.x + to.width * (isRight ? 0.85 : 0.15)
    const y2 = isAbove ? to.y + to.height : to.y
    const bend = Math.min(160, Math.abs(y1 - y2) * 0.6) * up
    return {
      line: `M${x1} ${y1}C${x1} ${y1 - bend} ${x2} ${y2 + bend} ${x2} ${y2}`,
      arrow: `M${x2} ${y2}l-4.5 ${9 * up}h9z`,
    }
  }
  const y2 = to.y + to.height * (isAbove ? 0.75 : 0.25)
  const rise = Math.min(200, Math.abs(y1 - y2) * 0.7) * up
  const run = Math.min(200, Math.abs(x1 - side) * 0.7) * way
  return {
    line: `M${x1} ${y1}C${x1} ${y1 - rise} ${side + run} ${y2} ${side} ${y2}`,
    arrow: arrowAcross(side, y2, way),
  }
}

const arrowAcross = (x: number, y: number, way: number): string => `M${x} ${y}l${9 * way} -4.5v9z`
