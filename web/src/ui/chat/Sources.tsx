/** Where an answer says it is from. Each shows its host, since words can say anything. */
export function Sources({ links }: { links: readonly string[] }) {
  const webLinks = links.flatMap((link) => (URL.canParse(link) && /^https?:/.test(link) ? [new URL(link)] : []))
  if (!webLinks.length) return null
  return (
    <div className="text-12">
      <p className="text-muted">Sources</p>
      <ol className="mt-1 flex flex-col gap-0.5">
        {webLinks.map((url, index) => (
          <li key={url.href} className="flex min-w-0 gap-2">
            <span className="font-mono text-faint tabular">{index + 1}</span>
            <a
              href={url.href}
              target="_blank"
              rel="noopener noreferrer nofollow"
              className="truncate text-signal-text underline underline-offset-2"
            >
              {url.host}
              {url.pathname === '/' ? '' : url.pathname}
            </a>
          </li>
        ))}
      </ol>
    </div>
  )
}
