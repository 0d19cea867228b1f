/// The style sheet of report pages: color variables for light and dark mode, and the rules that use
/// them.
enum ReportStyle {
    static let sheet = Markup(
        trusted: """
            :root{--back:#f6f7f9;--card:#fff;--ink:#1c2430;--dim:#667085;--line:#dfe3ea;\
            --soft:#eef1f5;--good:#1a7f4b;--goodback:#e0f4e9;--busy:#9a6700;--busyback:#fdf1d3;\
            --bad:#c0352b;--badback:#fde8e6;--blue:#2f6fde;--violet:#7a5bd0}
            @media (prefers-color-scheme:dark){:root{--back:#11151c;--card:#1a202b;--ink:#e6eaf1;\
            --dim:#97a3b6;--line:#2e3747;--soft:#222a37;--good:#57c78a;--goodback:#173527;\
            --busy:#e3b341;--busyback:#3a2f12;--bad:#ff8b80;--badback:#421f1d;--blue:#6ea3ff;\
            --violet:#b19cf5}}
            *{box-sizing:border-box}
            body{margin:0;background:var(--back);color:var(--ink);font:15px/1.5 system-ui,-apple-system,\
            "Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;-webkit-text-size-adjust:100%}
            main{max-width:1080px;margin:0 auto;padding:28px 24px 64px}
            header{border-top:4px solid var(--mood);background:var(--card);border-radius:12px;\
            padding:20px 24px;box-shadow:0 1px 2px #0001,0 0 0 1px var(--line)}
            .good{--mood:var(--good);--moodback:var(--goodback)}
            .busy{--mood:var(--busy);--moodback:var(--busyback)}
            .bad{--mood:var(--bad);--moodback:var(--badback)}
            .status{float:right;color:var(--dim);font-size:13px}
            .badge{background:var(--moodback);color:var(--mood);font-weight:700;border-radius:99px;\
            padding:4px 12px;letter-spacing:.04em}
            h1{font-size:26px;line-height:1.25;margin:0;overflow-wrap:anywhere;letter-spacing:-.01em}
            h2{font-size:17px;margin:36px 0 12px}
            h3{font-size:15px;margin:20px 0 8px}
            h4{font-size:14px;font-weight:500;margin:14px 0 8px;color:var(--dim)}
            .meaning{margin:6px 0 2px}.when{margin:0;color:var(--dim);font-size:13.5px}
            .cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(132px,1fr));gap:12px;\
            margin-top:16px}
            .card{background:var(--card);border-radius:10px;padding:12px 16px;\
            box-shadow:0 0 0 1px var(--line)}
            .card b{display:block;font-size:21px;font-weight:650;line-height:1.3;\
            font-variant-numeric:tabular-nums;white-space:nowrap}
            .card span{color:var(--dim);font-size:13px}
            .card.bad b{color:var(--bad)}
            .picture,.chart,.table,dl{background:var(--card);border-radius:12px;\
            box-shadow:0 0 0 1px var(--line)}
            .picture{padding:22px 24px}.picture svg{display:block;width:100%;height:auto;\
            max-width:900px;margin:0 auto}
            .narrow{display:none}.narrow svg{max-width:400px}
            svg text{fill:var(--ink);font-size:12px;font-family:inherit}
            svg .name{font-size:13.5px;font-weight:650}svg .what{font-size:12.5px;font-weight:550}
            svg .dim{fill:var(--dim);font-size:11.5px}
            svg .count{font-size:12px;font-weight:600;font-variant-numeric:tabular-nums}
            svg .plain{fill:var(--ink)}svg .good{fill:var(--good)}svg .busy{fill:var(--busy)}
            svg text.bad,svg tspan.bad{fill:var(--bad);font-weight:600}
            .node{fill:var(--soft);stroke:var(--line);stroke-width:1.2}
            .mark{fill:var(--good)}.failed .mark{fill:var(--bad)}.stopped .mark{fill:var(--busy)}
            .resumed .mark{fill:var(--blue)}.skipped .mark,.discarded .mark{fill:var(--dim)}
            .failed .node{stroke:var(--bad);fill:var(--badback)}
            .stopped .node{stroke:var(--busy);fill:var(--busyback)}
            .skipped{opacity:.55}.skipped .node,.skipped .arrow{stroke-dasharray:4 4}
            .end{fill:var(--card);stroke:var(--dim);stroke-width:1.2}
            .fold{fill:none;stroke:var(--dim);stroke-width:1.2}
            .arrow{fill:none;stroke:var(--dim);stroke-width:1.5}.head{fill:var(--dim)}
            .arrow.bad{stroke:var(--bad)}.head.bad{fill:var(--bad)}
            .spine{stroke:var(--line);stroke-width:2;stroke-dasharray:2 5;stroke-linecap:round}
            .pill{fill:var(--badback);stroke:var(--bad);stroke-width:1}
            .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(420px,100%),1fr));\
            gap:16px}
            .chart{margin:0;padding:14px 18px 12px}
            figcaption{font-size:13px;color:var(--dim);margin-bottom:10px}
            .plot{position:relative;padding-left:62px}
            .plot svg{display:block;width:100%;height:170px;border-bottom:1px solid var(--line)}
            .values{position:absolute;left:0;top:0;width:56px;height:170px}
            .values span{position:absolute;right:0;transform:translateY(-50%);font-size:11.5px;\
            color:var(--dim);white-space:nowrap;font-variant-numeric:tabular-nums}
            .names{position:absolute;left:62px;right:0;top:2px;height:18px}
            .names span{position:absolute;padding:0 6px;font-size:11px;color:var(--dim);\
            overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
            .times{display:flex;justify-content:space-between;font-size:11.5px;color:var(--dim);\
            margin-top:4px;font-variant-numeric:tabular-nums}
            .grid{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke;\
            stroke-dasharray:2 4}
            .band0{fill:transparent}.band1{fill:var(--soft)}
            .curve{fill:none;stroke-width:1.8;vector-effect:non-scaling-stroke;stroke-linejoin:round}
            .area{opacity:.16}.curve.rate{stroke:var(--blue)}.area.rate{fill:var(--blue)}
            .curve.memory{stroke:var(--violet)}.area.memory{fill:var(--violet)}
            .table{overflow-x:auto}
            table{border-collapse:collapse;width:100%;font-size:13.5px}
            th{text-align:left;color:var(--dim);font-weight:500;font-size:12.5px;white-space:nowrap}
            th,td{padding:8px 14px;border-bottom:1px solid var(--line);vertical-align:top}
            tbody tr:last-child td{border-bottom:0}
            .number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
            td.value{max-width:240px;overflow-wrap:anywhere}td.why{min-width:220px}
            td.path{min-width:200px;overflow-wrap:anywhere}
            td.digest{min-width:200px;overflow-wrap:anywhere;color:var(--dim);font-size:12px}
            .bar{display:block;height:3px;border-radius:2px;margin:3px 0 0 auto;\
            background:var(--mood);min-width:2px}
            .dim{color:var(--dim)}p.dim{font-size:13.5px;overflow-wrap:anywhere}
            code,pre{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
            .code{background:var(--badback);color:var(--bad);border-radius:6px;padding:2px 8px;\
            font:600 12.5px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
            .message{background:var(--card);border-radius:8px;border-left:4px solid var(--dim);\
            box-shadow:0 0 0 1px var(--line);padding:10px 14px;margin:8px 0;white-space:pre-wrap;\
            overflow-wrap:anywhere}
            .message.error{border-left-color:var(--bad)}.message.warning{border-left-color:var(--busy)}
            .message.note{border-left-color:var(--blue)}
            a{color:var(--blue)}
            dl{display:grid;grid-template-columns:max-content 1fr;gap:6px 20px;padding:16px 20px;\
            margin:0;font-size:13.5px}
            dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
            @media (max-width:720px){main{padding:14px 12px 40px}header{padding:16px}\
            .status{float:none;margin-bottom:8px}h1{font-size:22px}.wide{display:none}\
            .narrow{display:block}.picture{padding:18px 8px}\
            .cards{grid-template-columns:repeat(2,1fr);gap:8px}.card{padding:10px 12px}\
            dl{grid-template-columns:1fr;gap:0;padding:12px 14px}dd{margin-bottom:8px}}
            @media print{body{background:#fff}header,.card,.table,.picture,.chart,dl{break-inside:avoid}}
            """)

    /// Additional rules for the page of all runs: bars scaled to the longest one.
    static let index = Markup(
        trusted: """
            h1{margin-bottom:16px}.bars{display:flex;height:6px;margin-top:4px;min-width:120px}
            .bars i{display:block;min-width:1px;background:var(--blue)}
            .time .bars i{width:calc(100% * var(--n) / var(--seconds))}
            .counts .bars i{width:calc(100% * var(--n) / var(--changes))}
            .bars .inserted{background:var(--good)}.bars .updated{background:var(--blue)}
            .bars .deleted{background:var(--busy)}.bars .rejected{background:var(--bad)}
            .bars .exported{background:var(--violet)}
            """)
}
