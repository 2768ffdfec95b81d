/** A figure of a row, with its word for who does not see the head of the column. A phone has no room for it. */
export function Cell({ label, children }: { label: string; children: string }) {
  return (
    <span className="text-muted tabular max-md:hidden md:text-right">
      <span className="sr-only">{label} </span>
      {children}
    </span>
  )
}
