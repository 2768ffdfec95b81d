import { Check, Copy, Square, SquareCheck } from 'lucide-react'
import MarkdownToJsx from 'markdown-to-jsx'
import { Children, type ComponentProps, type ComponentType, createContext, isValidElement, memo, type ReactNode, useContext } from 'react'
import { useCopied } from './copy.ts'
import { cx } from './cx.ts'
import { highlight } from './highlight.ts'

/**
 * Draws the text of a model or a person with its formatting. No HTML of theirs is parsed, no image but the person's own is fetched, and a
 * link goes nowhere by itself: an answer must not be able to run anything or to carry anything out. Read once: a long conversation must not be parsed anew for every word at its end.
 */
export const Markdown = memo(function Markdown({ children, className }: { children: string; className?: string }) {
  return (
    <div className={cx('written', className)}>
      <MarkdownToJsx options={options}>{children}</MarkdownToJsx>
    </div>
  )
})

// One level for all headings, told apart by size: an answer must not break the order of the page's own, nor bring ids into it.
const options = {
  disableParsingRawHTML: true,
  forceBlock: true,
  wrapper: null,
  overrides: {
    a: Outward,
    img: Pictured,
    pre: Code,
    table: Wide,
    iframe: Unshown,
    input: Tick,
    h1: Title,
    h2: Heading,
    h3: Subheading,
    h4: Subheading,
    h5: Subheading,
    h6: Subheading,
  },
} as const

function Title({ children }: ComponentProps<'h1'>) {
  return <h2 className="mt-1 text-20 font-semibold">{children}</h2>
}
function Heading({ children }: ComponentProps<'h2'>) {
  return <h2 className="mt-2 text-16 font-semibold">{children}</h2>
}
function Subheading({ children }: ComponentProps<'h3'>) {
  return <h2 className="mt-1 font-semibold">{children}</h2>
}

/** Shows where it leads, because the words of a link can say anything. */
function Outward({ href, children }: ComponentProps<'a'>) {
  const url = webAddress(href)
  if (!url) return <span>{children}</span>
  return (
    <a
      href={url.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={url.href}
      className="text-signal-text underline underline-offset-2"
    >
      {children}
      {wordsOf(children) === href ? null : <span className="text-12 text-muted"> ({url.host})</span>}
    </a>
  )
}

/** Shows a picture of the person's own, by its id; where nobody brings one, its words stand in for it. */
export const OwnPictures = createContext<ComponentType<{ id: string; alt: string }> | null>(null)
const OWN = /^\/dashboard\/image-studio\?image=([0-9a-f-]{36})$/

function Pictured({ src, alt = '' }: ComponentProps<'img'>) {
  const Own = useContext(OwnPictures)
  const id = OWN.exec(src ?? '')?.[1]
  return Own && id ? <Own id={id} alt={alt} /> : <Unshown alt={alt} />
}

function Unshown({ alt }: ComponentProps<'img'>) {
  return <span className="text-muted">[{alt || 'not shown'}]</span>
}

/** A line of a checklist, as it was written: it is read, not filled in. */
function Tick({ checked }: ComponentProps<'input'>) {
  const Box = checked ? SquareCheck : Square
  return (
    <span data-tick className={checked ? 'text-signal-text' : 'text-muted'}>
      <Box aria-hidden="true" className="inline size-4 align-[-0.2em]" />
      <span className="sr-only">{checked ? 'Done: ' : 'To do: '}</span>
    </span>
  )
}

/** A table keeps its columns' widths and scrolls by itself. */
function Wide({ children }: ComponentProps<'table'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section tabIndex={0} aria-label="Table" className="fade-sides max-w-full overflow-x-auto rounded-control hairline">
      <table className="w-full text-left text-13 tabular">{children}</table>
    </section>
  )
}

const ink = { comment: 'text-faint italic', string: 'text-good', number: 'text-warn', word: 'text-violet' }

function Code({ children }: { children?: ReactNode }) {
  const { language, text } = blockOf(children)
  const { copied, copy } = useCopied()
  return (
    <div className="overflow-hidden rounded-control bg-page hairline">
      <div className="flex h-9 items-center justify-between border-b border-line pr-1 pl-3">
        <span className="font-mono text-12 text-faint">{language ?? 'text'}</span>
        <button
          type="button"
          onClick={() => copy(text)}
          aria-label={copied ? 'Copied' : 'Copy code'}
          className="inline-flex h-7 items-center gap-1.5 rounded-control px-2 text-12 text-muted hover:bg-raised hover:text-text"
        >
          {copied ? <Check className="size-3.5 text-good" /> : <Copy className="size-3.5" />}
          {copied ? 'Copied' : 'Copy'}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto p-3 font-mono text-13 leading-[1.55] outline-offset-[-2px]">
        <code>
          {highlight(text, language).map(({ text, kind }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a text's parts in their order
            <span key={index} className={kind && ink[kind]}>
              {text}
            </span>
          ))}
        </code>
      </pre>
    </div>
  )
}

/** A block's words, and what the answer says they are written in. */
function blockOf(children: ReactNode): { language: string | undefined; text: string } {
  const [code] = Children.toArray(children)
  if (!isValidElement<{ className?: string; children?: ReactNode }>(code)) return { language: undefined, text: wordsOf(children) }
  const language = /\blang(?:uage)?-([\w+#-]{1,20})/.exec(code.props.className ?? '')?.[1]?.toLowerCase()
  return { language, text: wordsOf(code.props.children) }
}

const wordsOf = (children: ReactNode) => Children.toArray(children).join('')

function webAddress(href: string | undefined): URL | null {
  try {
    const url = new URL(href ?? '')
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null
  } catch {
    return null
  }
}
