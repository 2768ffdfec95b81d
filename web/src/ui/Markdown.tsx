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
    <div className={cx('prose-answer flex flex-col gap-3 break-words', className)}>
      <MarkdownToJsx options={options}>{children}</MarkdownToJsx>
    </div>
  )
}

const options = {
  disableParsingRawHTML: true,
  forceBlock: true,
  wrapper: null,
  overrides: { a: Outward, img: Unshown, pre: Code, iframe: Unshown, input: Unshown },
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
        className="absolute top-2 right-2 grid size-7 place-items-center rounded-control text-muted hover:bg-raised hover:text-text"
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
