import type { ReactNode } from 'react'

/** Lists the keys of every page. */
export const Keys = () => (
  <dl className="pairs">
    <Pair name="Show these keys and the glossary">
      <kbd>?</kbd>
    </Pair>
    <Pair name="Compose a new run">
      <kbd>n</kbd>
    </Pair>
    <Pair name="Go to a page, run or action">
      <kbd>Ctrl K</kbd> or <kbd>/</kbd>
    </Pair>
    <Pair name="Move in a tree or the log">
      <kbd>↑</kbd> <kbd>↓</kbd>
    </Pair>
    <Pair name="Open and close a branch of a tree">
      <kbd>→</kbd> <kbd>←</kbd>
    </Pair>
    <Pair name="Resize a pane whose edge has the focus">
      <kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd>
    </Pair>
    <Pair name="Next and previous file of a diff">
      <kbd>j</kbd> <kbd>k</kbd>
    </Pair>
    <Pair name="Move between the seats of a chart, open a seat">
      <kbd>↑</kbd> <kbd>↓</kbd> <kbd>←</kbd> <kbd>→</kbd> <kbd>Enter</kbd>
    </Pair>
    <Pair name="Chart: zoom in, zoom out, fit, pan">
      <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> <kbd>Shift</kbd> with an arrow
    </Pair>
    <Pair name="Follow the end of the log">
      <kbd>End</kbd>
    </Pair>
    <Pair name="Close a dialog or detail">
      <kbd>Esc</kbd>
    </Pair>
  </dl>
)

const Pair = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
