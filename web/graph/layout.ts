/** A graph in layers: every brief is to the right of all briefs that it waits for. */
export interface Drawing<Item> {
  nodes: { item: Item; x: number; y: number }[]
  edges: { from: string; to: string; path: string }[]
  lanes: { name: string; y: number; height: number }[]
  width: number
  height: number
}

export interface Edge {
  briefId: string
  afterId: string
}

export const boxWidth = 176
export const boxHeight = 44
const between = 48
const above = 12
const step = boxHeight + above

/**
 * Lays out a graph. The longest path determines the layer. Within a layer, briefs are placed near the middle of their
 * dependencies: two passes in each direction untangle most plans, in a time that grows only with the number of edges.
 */
export function drawGraph<Item extends { id: string; lane?: string | null }>(
  items: readonly Item[],
  dependencies: readonly Edge[],
  laneNames: readonly string[] = [],
): Drawing<Item> {
  const known = new Set(items.map((item) => item.id))
  const edges = dependencies.filter((each) => known.has(each.briefId) && known.has(each.afterId))
  const before = Map.groupBy(edges, (each) => each.briefId)
  const behind = Map.groupBy(edges, (each) => each.afterId)
  const layers = layersOf(items, edges)
  const row = new Map<string, number>()
  const count = (): void => {
    for (const layer of layers) layer.forEach((item, index) => row.set(item.id, index - (layer.length - 1) / 2))
  }
  count()
  for (let round = 0; round < 2; round += 1) {
    for (const layer of layers) {
      sortBy(layer, (item) =>
        middle(
          before.get(item.id)?.map((each) => row.get(each.afterId) ?? 0),
          row.get(item.id),
        ),
      )
      count()
    }
    for (const layer of layers.toReversed()) {
      sortBy(layer, (item) =>
        middle(
          behind.get(item.id)?.map((each) => row.get(each.briefId) ?? 0),
          row.get(item.id),
        ),
      )
      count()
    }
  }
  const tallest = Math.max(1, ...layers.map((layer) => layer.length))
  const lanes = placeLanes(layers, laneNames)
  const laneTop = new Map(lanes.map((lane) => [lane.name, lane.y]))
  const place = new Map<string, { x: number; y: number }>()
  const nodes = layers.flatMap((layer, column) => {
    const inLane = new Map<string, number>()
    return layer.map((item, index) => {
      const top = laneTop.get(item.lane ?? '')
      const row = inLane.get(item.lane ?? '') ?? 0
      inLane.set(item.lane ?? '', row + 1)
      const x = column * (boxWidth + between)
      // Without lanes each layer is in the middle of the height.
      const y = top === undefined ? (index + (tallest - layer.length) / 2) * step : top + lanePad + row * step
      place.set(item.id, { x, y })
      return { item, x, y }
    })
  })
  return {
    nodes,
    edges: edges.flatMap(({ briefId, afterId }) => {
      const [from, to] = [place.get(afterId), place.get(briefId)]
      return from === undefined || to === undefined ? [] : [{ from: afterId, to: briefId, path: curve(from, to) }]
    }),
    lanes,
    width: layers.length * (boxWidth + between) - between,
    height: lanes.length === 0 ? tallest * step - above : lanes.reduce((sum, lane) => sum + lane.height, 0),
  }
}

const lanePad = 8

/** Stacks the lanes; each is as tall as its fullest layer. */
function placeLanes(layers: readonly { lane?: string | null }[][], names: readonly string[]): Drawing<never>['lanes'] {
  let y = 0
  return names.flatMap((name) => {
    const rows = Math.max(0, ...layers.map((layer) => layer.filter((item) => item.lane === name).length))
    if (rows === 0) return []
    const lane = { name, y, height: rows * step - above + 2 * lanePad }
    y += lane.height
    return [lane]
  })
}

/**
 * Puts each item into the layer of its longest chain of dependencies. The daemon rejects cycles; one would only
 * misplace its items.
 */
export function layersOf<Item extends { id: string }>(items: readonly Item[], edges: readonly Edge[]): Item[][] {
  const before = Map.groupBy(edges, (each) => each.briefId)
  const behind = Map.groupBy(edges, (each) => each.afterId)
  const left = new Map(items.map((item) => [item.id, before.get(item.id)?.length ?? 0]))
  const depth = new Map<string, number>()
  const free = items.filter((item) => left.get(item.id) === 0).map((item) => item.id)
  for (const id of free) {
    const mine = depth.get(id) ?? 0
    depth.set(id, mine)
    for (const { briefId } of behind.get(id) ?? []) {
      depth.set(briefId, Math.max(depth.get(briefId) ?? 0, mine + 1))
      const still = (left.get(briefId) ?? 0) - 1
      left.set(briefId, still)
      if (still === 0) free.push(briefId)
    }
  }
  const layers: Item[][] = []
  for (const item of items) (layers[depth.get(item.id) ?? 0] ??= []).push(item)
  return layers
}

function sortBy<Item>(layer: Item[], by: (item: Item) => number): void {
  const keys = new Map(layer.map((item) => [item, by(item)]))
  layer.sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0))
}

const middle = (rows: readonly number[] | undefined, own = 0): number =>
  rows === undefined || rows.length === 0 ? own : rows.reduce((sum, row) => sum + row, 0) / rows.length

const curve = (from: { x: number; y: number }, to: { x: number; y: number }): string => {
  const [x1, y1, x2, y2] = [from.x + boxWidth, from.y + boxHeight / 2, to.x, to.y + boxHeight / 2]
  const bend = Math.max(between / 2, (x2 - x1) / 2)
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}
