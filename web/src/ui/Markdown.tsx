import { Check, Copy } from 'lucide-react'
import MarkdownToJsx from 'markdown-to-jsx'
import { type ComponentProps, type ReactNode, useRef, useState } from 'react'
import { cx } from './cx.ts'

/**
 * What a model or a person wrote, as text with form. No HTML of theirs is parsed, no image is fetched and a link goes nowhere by itself:
 * an answer must not be able to run anything or to carry anything out.
 */
export function Markdown({ children, className }: { children: string; className?: string }) {
  return (
    <div className={cx(form, className)}>
      <MarkdownToJsx options={options}>{children}</MarkdownToJsx>
    </div>
  )
}

const form =
  'flex flex-col gap-3 break-words [&_ol]:list-decimal [&_ul]:list-disc [&_ol,&_ul]:pl-5 [&_ol,&_ul]:flex [&_ol,&_ul]:flex-col [&_ol,&_ul]:gap-1 [&_li]:pl-1 [&_li]:marker:text-faint [&_h2]:mt-1 [&_h2]:text-16 [&_h2]:font-semibold [&_blockquote]:border-l-2 [&_blockquote]:border-line [&_blockquote]:pl-3 [&_blockquote]:text-muted [&_:not(pre)>code]:rounded-[4px] [&_:not(pre)>code]:bg-raised [&_:not(pre)>code]:px-1 [&_:not(pre)>code]:font-mono [&_:not(pre)>code]:text-[0.92em] [&_table]:w-full [&_table]:text-left [&_table]:text-13 [&_th,&_td]:border-b [&_th,&_td]:border-line [&_th,&_td]:px-2 [&_th,&_td]:py-1 [&_hr]:border-line'

// One level for all headings: an answer must not break the order of the page's own.
const options = {
  disableParsingRawHTML: true,
  forceBlock: true,
  wrapper: null,
  overrides: { a: Outward, img: Unshown, pre: Code, iframe: Unshown, input: Unshown, h1: 'h2', h3: 'h2', h4: 'h2', h5: 'h2', h6: 'h2' },
} as const

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
      {children} <span className="text-12 text-muted">({url.host})</span>
    </a>
  )
}

function Unshown({ alt }: ComponentProps<'img'>) {
  return <span className="text-muted">[{alt || 'not shown'}]</span>
}

function Code({ children }: { children?: ReactNode }) {
  const ref = useRef<HTMLPreElement>(null)
  const [copied, setCopied] = useState(false)
  async function copy() {
    await navigator.clipboard.writeText(ref.current?.textContent ?? '')
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return (
    <div className="relative">
      <pre ref={ref} className="hairline overflow-x-auto rounded-control bg-page p-3 pr-12 font-mono text-13">
        {children}
      </pre>
      <button
        type="button"
        onClick={copy}
        aria-label={copied ? 'Copied' : 'Copy code'}
        className="absolute top-2 right-2 grid size-7 place-items-center rounded-control bg-page text-muted hover:bg-raised hover:text-text"
      >
        {copied ? <Check className="size-4" /> : <Copy className="size-4" />}
      </button>
    </div>
  )
}

function webAddress(href: string | undefined): URL | null {
  try {
    const url = new URL(href ?? '')
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null
  } catch {
    return null
  }
}
