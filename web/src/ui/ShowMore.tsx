import { Button, type ButtonLook } from './Button.tsx'

type List = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }

/** The next page of a list; nothing where that was the last. */
export function ShowMore({ of, children = 'Show more', ...look }: ButtonLook & { of: List; className?: string; children?: string }) {
  if (!of.hasNextPage) return null
  return (
    <Button {...look} busy={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
      {children}
    </Button>
  )
}
