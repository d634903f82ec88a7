# An mjai player for tests that gives up what it draws. While there is a file hang in
# the folder of its first argument, it stops answering at the line of the kind that
# the file names, from the match on that its second line names, and holds the named pipe
# alive open, which its reader sees closed when no process of the player is left.
hangs() {
	[ -e "$1/hang" ] || return 1
	{ read -r kind && read -r match; } <"$1/hang"
	[ "$2" = "$kind" ] && [ "$begun" -ge "$match" ]
}
begun=0
while read -r line; do
	answer='{"type":"none"}'
	kind=${line#*'"type":"'}
	kind=${kind%%\"*}
	[ "$kind" != start_game ] || begun=$((begun + 1))
	if hangs "$1" "$kind"; then
		exec 3>"$1/alive"
		while hangs "$1" "$kind"; do sleep 0.05; done
	fi
	case $line in
	*'"type":"tsumo"'*'"pai":"?"'*) ;;
	*'"type":"tsumo"'*)
		actor=${line#*'"actor":'}
		tile=${line#*'"pai":"'}
		answer='{"type":"dahai","actor":'${actor%%,*}',"pai":"'${tile%%\"*}'","tsumogiri":true}'
		;;
	esac
	echo "$answer"
done
